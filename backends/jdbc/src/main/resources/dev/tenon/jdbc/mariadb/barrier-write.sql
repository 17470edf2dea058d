-- Lets a call through, in the participant's own transaction, and locks its row until the end of the transaction. Who was here
-- before is for barrier-read.sql to tell: how many rows this has changed depends on an option of the user's connection.
INSERT INTO tenon_barrier (gid, branch, operation, written_by, written_at, repeats, result)
VALUES (:gid, :branch, :operation, :by, {clock}, 0, '')
ON DUPLICATE KEY UPDATE repeats = repeats + 1
