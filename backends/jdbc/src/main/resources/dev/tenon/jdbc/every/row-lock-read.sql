-- Whose row it is, as of now.
SELECT gid FROM tenon_row_lock WHERE row_key = :row FOR UPDATE
