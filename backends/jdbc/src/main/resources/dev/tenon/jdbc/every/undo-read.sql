-- What a branch did, the last first.
SELECT kind, table_name, before_rows, after_rows FROM tenon_undo
WHERE gid = :gid AND branch = :branch ORDER BY number DESC
