-- Keeps the row of the bell locked, without changing it, until five seconds are over or a release breaks this statement
-- (KILL QUERY): then the listener, which waits for the row, goes on at once, without a round trip in between.
UPDATE tenon_bell SET touched_at = touched_at WHERE channel = :channel AND SLEEP(5) = 2
