-- As lock-write.sql, for many rows in one round trip (routine/lock-write-many.sql).
CALL tenon_lock_write_many_1(:rows, :alone)
