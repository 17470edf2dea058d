-- Waits until the bell rings, then reads every lock that was handed to this process and not claimed yet, all in one
-- round trip. The keeper must be seen at work (its row is locked) before the locks are looked at: whatever is handed over
-- after that look breaks the keeper's statement, and so ends the wait. Keeper and listener are sent out together; should
-- the listener be first, it waits here for the other, a quarter of a second at most. armed says whether it came, woken whether it was then
-- seen to end.
-- A row handed to several processes at once has a star, and names them in its holders.
-- told: what this process has heard already, as token:CRC32(name), separated by commas.
BEGIN NOT ATOMIC
  DECLARE armed, fresh, looks, woken INT DEFAULT 0;
  DECLARE CONTINUE HANDLER FOR 1205 BEGIN END;
  REPEAT
    IF looks > 0 THEN
      DO SLEEP(0.001);
    END IF;
    SET looks = looks + 1, @tenon_seen = NULL;
    START TRANSACTION;
    SELECT channel INTO @tenon_seen FROM tenon_bell WHERE channel = :channel FOR UPDATE SKIP LOCKED;
    COMMIT;
    SET armed = @tenon_seen IS NULL;
    SET fresh = EXISTS (SELECT 1 FROM tenon_lock WHERE handed_to IN (:channel, '*')
                        AND (handed_to = :channel OR LOCATE(CONCAT(CHAR(9 USING utf8mb4), :channel, ' ') COLLATE utf8mb4_nopad_bin, more) > 0)
                        AND NOT FIND_IN_SET(CONCAT(token, ':', CRC32(name)), :told));
  UNTIL armed OR fresh OR looks > 250 END REPEAT;
  IF armed AND NOT fresh THEN
    START TRANSACTION;
    SELECT channel INTO @tenon_seen FROM tenon_bell WHERE channel = :channel FOR UPDATE;
    COMMIT;
    SET woken = 1;
  END IF;
  SELECT armed, woken, l.name, l.token, l.version, l.holder_request, l.holder_session, l.holder_owner, l.held_since,
         l.held_until, l.waited, l.handed_to, l.touched_at, l.waiters, l.more, {clock} AS now_at, 0 AS fence
  FROM (SELECT 1) one LEFT JOIN tenon_lock l ON l.handed_to IN (:channel, '*')
    AND (l.handed_to = :channel OR LOCATE(CONCAT(CHAR(9 USING utf8mb4), :channel, ' ') COLLATE utf8mb4_nopad_bin, l.more) > 0);
END
