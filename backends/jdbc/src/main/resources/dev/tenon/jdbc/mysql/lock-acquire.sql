-- Takes a free lock, or a place at the end of its queue, in one round trip (routine/lock-acquire.sql).
CALL tenon_lock_acquire_1(:name, :request, :session, :owner, :lease, :wait)
