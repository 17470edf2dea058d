-- What a transaction did that was closed as it is will not be undone.
DELETE FROM tenon_undo WHERE gid = :gid
