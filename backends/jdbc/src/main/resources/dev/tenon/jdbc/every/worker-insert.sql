-- Claims a slot for the first time; fails on its key if somebody else has, or if the request has a slot already.
INSERT INTO tenon_worker (group_name, worker_id, claim, request, owner, since, lease_end, floor_at, fence_at)
VALUES (:name, :worker, :claim, :request, :owner, :since, :leaseEnd, :floor, :fence)
