-- Gives a lock back, or on to the head of its queue, and rings that one's process. done says whether it was so, denied that that one could
-- not be woken; if it was not, the caller goes on from the row: the token is not the right one, the head has given up, or there is more in the row than plain exclusive holding.
-- A waiter of the process that releases is told by that process itself, without the bell.
-- To ring is to break the statement by which the process keeps the row of its bell locked (bell-keep.sql): the user lock
-- of the channel tells its connection. It comes after the hand-over is committed, so that whoever wakes sees it.
CREATE PROCEDURE IF NOT EXISTS tenon_lock_release_1(
  p_name VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
  p_token BIGINT,
  p_channel VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
  p_claim BIGINT)
SQL SECURITY INVOKER
BEGIN
  DECLARE v_now, v_token, v_until, v_lease, v_queued, v_deadline BIGINT;
  DECLARE v_request, v_session, v_owner, v_to VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin;
  DECLARE v_first, v_waiters, v_more LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin;
  DECLARE v_done, v_denied INT DEFAULT 0;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN
    ROLLBACK;
    RESIGNAL;
  END;
  SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
  START TRANSACTION;
  SELECT token, GREATEST(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)), touched_at), holder_request, held_until, more, waiters
  INTO v_token, v_now, v_request, v_until, v_more, v_waiters FROM tenon_lock WHERE name = p_name FOR UPDATE;
  IF v_token = p_token AND v_request IS NOT NULL AND v_more = '' AND v_until > v_now THEN
    IF v_waiters = '' THEN
      UPDATE tenon_lock
      SET version = version + 1, holder_request = NULL, holder_session = NULL, holder_owner = NULL, held_since = v_now, held_until = v_now,
          waited = 0, handed_to = NULL, touched_at = v_now
      WHERE name = p_name;
      SET v_done = 1;
    ELSE
      SET v_first = SUBSTRING_INDEX(v_waiters, CHAR(10 USING utf8mb4), 1),
          v_request = SUBSTRING_INDEX(v_first, CHAR(9 USING utf8mb4), 1),
          v_session = SUBSTRING_INDEX(SUBSTRING_INDEX(v_first, CHAR(9 USING utf8mb4), 2), CHAR(9 USING utf8mb4), -1),
          v_owner = SUBSTRING_INDEX(SUBSTRING_INDEX(v_first, CHAR(9 USING utf8mb4), 3), CHAR(9 USING utf8mb4), -1),
          v_lease = SUBSTRING_INDEX(SUBSTRING_INDEX(v_first, CHAR(9 USING utf8mb4), 4), CHAR(9 USING utf8mb4), -1),
          v_queued = SUBSTRING_INDEX(SUBSTRING_INDEX(v_first, CHAR(9 USING utf8mb4), 5), CHAR(9 USING utf8mb4), -1),
          v_deadline = SUBSTRING_INDEX(SUBSTRING_INDEX(v_first, CHAR(9 USING utf8mb4), 6), CHAR(9 USING utf8mb4), -1),
          v_to = SUBSTRING_INDEX(v_session, ' ', 1);
      IF v_now < v_deadline THEN
        UPDATE tenon_lock
        SET token = GREATEST(v_now, v_token + 32), version = version + 1, holder_request = v_request, holder_session = v_session,
            holder_owner = v_owner, held_since = v_now, held_until = v_now + LEAST(p_claim, v_lease), waited = v_now - v_queued,
            handed_to = NULLIF(v_to, p_channel), touched_at = v_now,
            waiters = SUBSTRING(v_waiters, CHAR_LENGTH(v_first) + 2)
        WHERE name = p_name;
        SET v_done = 2;
      END IF;
    END IF;
  END IF;
  COMMIT;
  IF v_done = 2 AND v_to <> p_channel THEN
    CALL tenon_bell_ring_1(v_to, v_denied);
  END IF;
  IF v_done = 1 THEN
    SELECT 1 AS done, 0 AS handed, 0 AS denied;
  ELSE
    SELECT v_done DIV 2 AS done, v_done DIV 2 AS handed, v_denied AS denied, name, token, version, holder_request, holder_session,
           holder_owner, held_since, held_until, waited, handed_to, touched_at, waiters, more,
           GREATEST(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)), touched_at) AS now_at, 0 AS fence
    FROM tenon_lock WHERE name = p_name;
  END IF;
END
