-- When a transaction ended.
SELECT ended_at FROM tenon_tx WHERE gid = :gid
