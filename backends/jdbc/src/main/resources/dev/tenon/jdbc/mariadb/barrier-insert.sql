-- Lets a call through, in the participant's own transaction: what comes back has repeats 0 if it was never here before, and
-- else who was. Of two at once the second waits here for the end of the first. Inserts first; an upsert locks a row that is
-- there exclusively, where a plain insert, or one that ignores it, would share it with others and deadlock with them after.
INSERT INTO tenon_barrier (gid, branch, operation, written_by, written_at, repeats, result)
VALUES (:gid, :branch, :operation, :by, {clock}, 0, '')
ON DUPLICATE KEY UPDATE repeats = repeats + 1
RETURNING written_by, repeats, result
