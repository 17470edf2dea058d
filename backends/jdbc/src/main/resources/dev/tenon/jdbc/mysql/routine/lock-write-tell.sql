-- As lock-write.sql, and rings for those that were granted the lock, one a line, the channel first, after the write is committed.
-- written is 0 if somebody has written the row since it was read.
CREATE PROCEDURE IF NOT EXISTS tenon_lock_write_tell_1(
  p_name VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
  p_version BIGINT,
  p_before BIGINT,
  p_token BIGINT,
  p_holder_request VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
  p_holder_session VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
  p_holder_owner VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
  p_held_since BIGINT,
  p_held_until BIGINT,
  p_waited BIGINT,
  p_handed_to VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
  p_now BIGINT,
  p_waiters LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
  p_more LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
  p_told LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin)
SQL SECURITY INVOKER
BEGIN
  DECLARE v_written, v_denied INT DEFAULT 0;
  UPDATE tenon_lock
  SET token = p_token, version = version + 1, holder_request = p_holder_request, holder_session = p_holder_session,
      holder_owner = p_holder_owner, held_since = p_held_since, held_until = p_held_until, waited = p_waited,
      handed_to = p_handed_to, touched_at = p_now, waiters = p_waiters, more = p_more
  WHERE name = p_name AND version = p_version AND token = p_before;
  SET v_written = ROW_COUNT();
  SET p_told = IF(v_written > 0, CONCAT(p_told, CHAR(10 USING utf8mb4)), '');
  WHILE p_told <> '' DO
    CALL tenon_bell_ring_1(SUBSTRING_INDEX(p_told, CHAR(9 USING utf8mb4), 1), v_denied);
    SET p_told = SUBSTRING(p_told, LOCATE(CHAR(10 USING utf8mb4), p_told) + 1);
  END WHILE;
  SELECT v_written AS written;
END
