-- Waits until the bell rings, then reads every lock that was handed to this process and not claimed yet, all in one
-- round trip. The keeper must be seen at work (its row is locked) before the locks are looked at: whatever is handed over
-- after that look breaks the keeper's statement, and so ends the wait. Keeper and listener are sent out together; should
-- the listener be first, it waits here for the other, a quarter of a second at most. armed says whether it came, woken whether it was then
-- seen to end.
-- A row handed to several processes at once has a star, and names them in its holders.
-- p_told: what this process has heard already, as token:CRC32(name), separated by commas.
CREATE PROCEDURE IF NOT EXISTS tenon_bell_listen_1(
  p_channel VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
  p_told LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin)
SQL SECURITY INVOKER
BEGIN
  DECLARE v_armed, v_fresh, v_looks, v_woken INT DEFAULT 0;
  DECLARE v_seen VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin;
  DECLARE CONTINUE HANDLER FOR 1205 BEGIN END;
  REPEAT
    IF v_looks > 0 THEN
      DO SLEEP(0.001);
    END IF;
    SET v_looks = v_looks + 1, v_seen = NULL;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
    START TRANSACTION;
    SELECT channel INTO v_seen FROM tenon_bell WHERE channel = p_channel FOR UPDATE SKIP LOCKED;
    COMMIT;
    SET v_armed = v_seen IS NULL;
    SET v_fresh = EXISTS (SELECT 1 FROM tenon_lock WHERE handed_to IN (p_channel, '*')
                          AND (handed_to = p_channel OR LOCATE(CONCAT(CHAR(9 USING utf8mb4), p_channel, ' '), more) > 0)
                          AND NOT FIND_IN_SET(CONCAT(token, ':', CRC32(name)), p_told));
  UNTIL v_armed OR v_fresh OR v_looks > 250 END REPEAT;
  IF v_armed AND NOT v_fresh THEN
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
    START TRANSACTION;
    SELECT channel INTO v_seen FROM tenon_bell WHERE channel = p_channel FOR UPDATE;
    COMMIT;
    SET v_woken = 1;
  END IF;
  SELECT v_armed AS armed, v_woken AS woken, l.name, l.token, l.version, l.holder_request, l.holder_session, l.holder_owner, l.held_since,
         l.held_until, l.waited, l.handed_to, l.touched_at, l.waiters, l.more, TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) AS now_at, 0 AS fence
  FROM (SELECT 1) one LEFT JOIN tenon_lock l ON l.handed_to IN (p_channel, '*')
    AND (l.handed_to = p_channel OR LOCATE(CONCAT(CHAR(9 USING utf8mb4), p_channel, ' '), l.more) > 0);
END
