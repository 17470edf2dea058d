-- What was written down of a transaction, oldest first.
SELECT happened_at, what, actor, detail FROM tenon_tx_event WHERE gid = :gid ORDER BY version, position
