-- Locks rows that were written long ago, the oldest first; what others are looking at now stays.
SELECT gid, branch, operation FROM tenon_barrier WHERE written_at < (SELECT {clock}) - :age
ORDER BY written_at LIMIT :limit FOR UPDATE SKIP LOCKED
