-- Forgets what happened to a transaction.
DELETE FROM tenon_tx_event WHERE gid = :gid
