-- Prolongs a claim that is not over and moves its fence, forward only. Times are milliseconds, leases rounded up.
UPDATE tenon_worker
SET lease_end = ({clock} + :lease + 999) / 1000, fence_at = GREATEST(fence_at, :fence)
WHERE group_name = :name AND worker_id = :worker AND claim = :claim AND lease_end > {clock} / 1000
