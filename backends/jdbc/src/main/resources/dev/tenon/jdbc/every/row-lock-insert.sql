-- Takes rows for a transaction with automatic undo, but for those that some transaction has.
INSERT IGNORE INTO tenon_row_lock (row_key, gid, branch, about) VALUES {each}(:row, :gid, :branch, :about){end}
