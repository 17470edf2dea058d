-- Locks transactions of a service that ended long ago, the oldest first; what others are forgetting now is theirs.
SELECT gid FROM tenon_tx WHERE service = :service AND ended_at < (SELECT {clock}) - :retention ORDER BY ended_at LIMIT :limit
FOR UPDATE SKIP LOCKED
