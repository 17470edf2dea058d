-- Claims a slot, or prolongs a repeated claim, unless it has changed since it was read.
UPDATE tenon_worker
SET claim = :claim, request = :request, owner = :owner, since = :since, lease_end = :leaseEnd,
    floor_at = :floor, fence_at = :fence
WHERE group_name = :name AND worker_id = :worker AND claim = :claimBefore AND lease_end = :leaseEndBefore
