-- Prolongs a claim that is not over and moves its fence, forward only; nothing where the database may have forgotten other claims. Times are milliseconds, leases rounded up.
UPDATE tenon_worker
SET lease_end = ({clock} + :lease + 999) DIV 1000, fence_at = GREATEST(fence_at, :fence)
WHERE group_name = :name AND worker_id = :worker AND claim = :claim AND lease_end > {clock} DIV 1000
  AND EXISTS (SELECT 1 FROM tenon_worker_group g WHERE g.name = :name AND g.incarnation = {incarnation})
