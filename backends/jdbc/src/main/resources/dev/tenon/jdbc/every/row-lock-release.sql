-- Frees the rows of a transaction that was closed as it is.
DELETE FROM tenon_row_lock WHERE gid = :gid
