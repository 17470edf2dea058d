-- Gives a lock back, or on to the head of its queue, and rings that one's process, in one round trip (routine/lock-release.sql).
CALL tenon_lock_release_1(:name, :token, :channel, :claim)
