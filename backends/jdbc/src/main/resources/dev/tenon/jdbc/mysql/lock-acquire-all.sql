-- Takes every one of these free locks, or none, in one round trip (routine/lock-acquire-all.sql).
CALL tenon_lock_acquire_all_1(:asked, :session)
