-- Takes rows for a transaction with automatic undo, but for those that some transaction has.
MERGE INTO tenon_row_lock l
USING (VALUES {each}(CAST(:row AS VARCHAR), CAST(:gid AS VARCHAR), CAST(:branch AS VARCHAR), CAST(:about AS VARCHAR)){end})
  n (row_key, gid, branch, about)
ON l.row_key = n.row_key
WHEN NOT MATCHED THEN INSERT (row_key, gid, branch, about) VALUES (n.row_key, n.gid, n.branch, n.about)
