-- What a statement of a branch did, with the rows before and after it.
INSERT INTO tenon_undo (gid, branch, number, kind, table_name, before_rows, after_rows)
VALUES (:gid, :branch, :number, :kind, :target, :before, :after)
