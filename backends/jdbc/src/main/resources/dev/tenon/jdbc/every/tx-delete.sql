-- Forgets a transaction.
DELETE FROM tenon_tx WHERE gid = :gid
