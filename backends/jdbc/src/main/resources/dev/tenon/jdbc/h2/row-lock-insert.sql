-- Takes a row for a transaction with automatic undo, unless some transaction has it.
MERGE INTO tenon_row_lock l
USING (SELECT CAST(:row AS VARCHAR) row_key, CAST(:gid AS VARCHAR) gid, CAST(:branch AS VARCHAR) branch, CAST(:about AS VARCHAR) about) n
ON l.row_key = n.row_key
WHEN NOT MATCHED THEN INSERT (row_key, gid, branch, about) VALUES (n.row_key, n.gid, n.branch, n.about)
