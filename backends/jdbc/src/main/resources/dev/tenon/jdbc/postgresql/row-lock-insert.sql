-- Takes a row for a transaction with automatic undo, unless some transaction has it.
INSERT INTO tenon_row_lock (row_key, gid, branch, about) VALUES (:row, :gid, :branch, :about) ON CONFLICT DO NOTHING
