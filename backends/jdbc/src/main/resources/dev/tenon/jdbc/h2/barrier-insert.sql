-- Lets a call through, in the participant's own transaction: what comes back has repeats 0 if it was never here before, and
-- else who was. Of two at once the second waits here for the end of the first.
SELECT written_by, repeats, result FROM FINAL TABLE (
  MERGE INTO tenon_barrier AS b
  USING (SELECT CAST(:gid AS VARCHAR(128)) AS gid, CAST(:branch AS VARCHAR(200)) AS branch,
                CAST(:operation AS VARCHAR(20)) AS operation, CAST(:by AS VARCHAR(20)) AS written_by) AS c
  ON b.gid = c.gid AND b.branch = c.branch AND b.operation = c.operation
  WHEN MATCHED THEN UPDATE SET repeats = b.repeats + 1
  WHEN NOT MATCHED THEN INSERT (gid, branch, operation, written_by, written_at, repeats, result)
    VALUES (c.gid, c.branch, c.operation, c.written_by, {clock}, 0, ''))
