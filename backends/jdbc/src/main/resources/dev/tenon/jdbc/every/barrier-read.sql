-- Who was here, as it is now and not as an older look of this transaction has it: its row is locked.
SELECT written_by, repeats, result FROM tenon_barrier
WHERE gid = :gid AND branch = :branch AND operation = :operation
FOR UPDATE
