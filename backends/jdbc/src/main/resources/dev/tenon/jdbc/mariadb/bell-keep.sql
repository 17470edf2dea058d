-- Keeps the row of the bell locked, without changing it, until five seconds are over or a release breaks this statement
-- (KILL QUERY): then the listener, which waits for the row, goes on at once, without a round trip in between.
-- It passes the time with a lock that it can't get, and not with SLEEP: a KILL that meets a SLEEP as it begins takes two
-- seconds (MariaDB 10.11: each of them holds a mutex that the other one wants), and holds up SHOW PROCESSLIST with it.
UPDATE tenon_bell SET touched_at = touched_at
WHERE channel = :channel AND GET_LOCK(CONCAT('tenon-wait:', :channel), 5) = 2
