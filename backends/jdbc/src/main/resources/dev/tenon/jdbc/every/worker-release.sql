-- Ends a claim and lowers its fence to what was in fact used, but never below what was used before it.
UPDATE tenon_worker
SET lease_end = {clock} / 1000, fence_at = GREATEST(floor_at, :lastUsed), request = NULL
WHERE group_name = :name AND worker_id = :worker AND claim = :claim AND lease_end > {clock} / 1000
