-- Every slot of a group that was ever claimed, with the time.
SELECT worker_id, claim, request, owner, since, lease_end, floor_at, fence_at, {clock} AS now_at
FROM tenon_worker WHERE group_name = :name ORDER BY worker_id
