-- Keeps the row of the bell locked, without changing it, until five seconds are over or a release breaks this statement
-- (KILL QUERY): then the listener, which waits for the row, goes on at once, without a round trip in between.
-- It passes the time with a lock that it can't get, as the one whose name it has is the listener's. It is no stored routine, as a KILL
-- QUERY that meets one between two of its statements is lost (MySQL 9.7).
UPDATE tenon_bell SET touched_at = touched_at
WHERE channel = :channel AND GET_LOCK(CONCAT('tenon-wait:', :channel), 5) = 2
