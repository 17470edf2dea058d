-- Takes every one of these free locks, or none; the caller reads the answers off the rows, as they are afterwards. It stops, and takes
-- all back, at the first that can't be had so, or where there is something for the state machine. p_asked: one a line, in the order of
-- their names, so that nobody waits in a circle: name, request, owner, lease.
CREATE PROCEDURE IF NOT EXISTS tenon_lock_acquire_all_1(
  p_asked LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
  p_session VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin)
SQL SECURITY INVOKER
BEGIN
  DECLARE v_left LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin DEFAULT p_asked;
  DECLARE v_line LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin;
  DECLARE v_names JSON DEFAULT JSON_ARRAY();
  DECLARE v_name, v_request, v_owner VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin;
  DECLARE v_lease, v_now, v_token BIGINT;
  DECLARE v_take INT DEFAULT 1;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN
    ROLLBACK;
    RESIGNAL;
  END;
  SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
  START TRANSACTION;
  WHILE v_left <> '' DO
    SET v_line = SUBSTRING_INDEX(v_left, CHAR(10 USING utf8mb4), 1),
        v_left = SUBSTRING(v_left, LOCATE(CHAR(10 USING utf8mb4), v_left) + 1),
        v_name = SUBSTRING_INDEX(v_line, CHAR(9 USING utf8mb4), 1),
        v_request = SUBSTRING_INDEX(SUBSTRING_INDEX(v_line, CHAR(9 USING utf8mb4), 2), CHAR(9 USING utf8mb4), -1),
        v_owner = SUBSTRING_INDEX(SUBSTRING_INDEX(v_line, CHAR(9 USING utf8mb4), 3), CHAR(9 USING utf8mb4), -1),
        v_lease = SUBSTRING_INDEX(v_line, CHAR(9 USING utf8mb4), -1),
        v_names = JSON_ARRAY_APPEND(v_names, '$', v_name);
    IF v_take = 1 THEN
      -- Begins the row free where there is none, so that it is there to be locked.
      INSERT INTO tenon_lock (name, token, version, held_since, held_until, waited, touched_at, waiters)
      SELECT v_name, GREATEST(n.now_at - 32, n.fence), 0, n.now_at, n.now_at, 0, n.now_at, ''
      FROM (SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) AS now_at, (SELECT MAX(token) FROM tenon_fence) AS fence) n
      ON DUPLICATE KEY UPDATE version = tenon_lock.version;
      SELECT token, GREATEST(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)), touched_at),
             more = '' AND waiters = '' AND (holder_request IS NULL OR held_until <= GREATEST(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)), touched_at))
      INTO v_token, v_now, v_take FROM tenon_lock WHERE name = v_name FOR UPDATE;
    END IF;
    IF v_take = 1 THEN
      UPDATE tenon_lock
      SET token = GREATEST(v_now, v_token + 32), version = version + 1, holder_request = v_request, holder_session = p_session,
          holder_owner = v_owner, held_since = v_now, held_until = v_now + v_lease, waited = 0, handed_to = NULL, touched_at = v_now
      WHERE name = v_name;
    END IF;
  END WHILE;
  IF v_take = 1 THEN
    COMMIT;
  ELSE
    ROLLBACK;
  END IF;
  SELECT l.name, l.token, l.version, l.holder_request, l.holder_session, l.holder_owner, l.held_since,
         l.held_until, l.waited, l.handed_to, l.touched_at, l.waiters, l.more, c.now_at, c.fence
  FROM (SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) AS now_at, (SELECT MAX(token) FROM tenon_fence) AS fence) c
  LEFT JOIN tenon_lock l ON l.name IN (
    SELECT n.name FROM JSON_TABLE(v_names, '$[*]' COLUMNS (name VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$')) n);
END
