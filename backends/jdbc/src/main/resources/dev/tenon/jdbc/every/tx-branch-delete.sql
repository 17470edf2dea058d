-- Takes branches out of a transaction.
DELETE FROM tenon_tx_branch WHERE gid = :gid AND position >= :first
