-- Frees the rows of a branch.
DELETE FROM tenon_row_lock WHERE gid = :gid AND branch = :branch
