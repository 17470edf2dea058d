-- Lets a call through, in the participant's own transaction, and locks its row until the end of the transaction. It changes one row if
-- the call is new, and two if it was here before; then who it was is for barrier-read.sql to tell.
INSERT INTO tenon_barrier (gid, branch, operation, written_by, written_at, repeats, result)
VALUES (:gid, :branch, :operation, :by, {clock}, 0, '')
ON DUPLICATE KEY UPDATE repeats = repeats + 1
