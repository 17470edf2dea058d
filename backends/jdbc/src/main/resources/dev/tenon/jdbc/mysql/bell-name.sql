-- Takes a user lock of this process's bell: that named tenon-bell makes the keeper's connection findable, and for that
-- named tenon-wait, which the listener has, the keeper waits in vain. They are door plates, no locks of anybody's.
-- 1: done.
SELECT GET_LOCK(CONCAT(:kind, :channel), 0)
