-- As lock-write.sql, and rings for those that were granted the lock, in the same round trip (routine/lock-write-tell.sql).
CALL tenon_lock_write_tell_1(:name, :version, :before, :token, :holderRequest, :holderSession, :holderOwner, :heldSince, :heldUntil,
  :waited, :handedTo, :now, :waiters, :more, :told)
