-- Lets a call through, in the participant's own transaction: what comes back has repeats 0 if it was never here before, and
-- else who was. Of two at once the second waits here for the end of the first. Inserts first; an upsert fails on no key, which
-- would end the transaction. In REPEATABLE READ the second gets a serialization failure if the first commits.
INSERT INTO tenon_barrier AS b (gid, branch, operation, written_by, written_at, repeats, result)
VALUES (:gid, :branch, :operation, :by, {clock}, 0, '')
ON CONFLICT (gid, branch, operation) DO UPDATE SET repeats = b.repeats + 1
RETURNING written_by, repeats, result
