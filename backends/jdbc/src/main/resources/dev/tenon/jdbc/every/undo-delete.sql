-- What is done, or undone, need not be undone.
DELETE FROM tenon_undo WHERE gid = :gid AND branch = :branch
