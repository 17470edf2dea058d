-- As lock-write.sql, for many rows: p_rows is a JSON array of objects, each with what that has. Gives, for each that was written, where it
-- stands in the array; somebody has written the others since they were read. p_alone: whether this is a transaction of its own.
CREATE PROCEDURE IF NOT EXISTS tenon_lock_write_many_1(
  p_rows LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
  p_alone INT)
SQL SECURITY INVOKER
BEGIN
  DECLARE v_at, v_size INT DEFAULT 0;
  DECLARE v_written JSON DEFAULT JSON_ARRAY();
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN
    IF p_alone = 1 THEN
      ROLLBACK;
    END IF;
    RESIGNAL;
  END;
  IF p_alone = 1 THEN
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
    START TRANSACTION;
  END IF;
  SET v_size = JSON_LENGTH(p_rows);
  WHILE v_at < v_size DO
    UPDATE tenon_lock l
    JOIN JSON_TABLE(p_rows, '$[*]' COLUMNS (
      at FOR ORDINALITY, name VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name', version BIGINT PATH '$.version', before_token BIGINT PATH '$.before',
      token BIGINT PATH '$.token', holder_request VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.holderRequest', holder_session VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.holderSession',
      holder_owner VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.holderOwner', held_since BIGINT PATH '$.heldSince', held_until BIGINT PATH '$.heldUntil',
      waited BIGINT PATH '$.waited', handed_to VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.handedTo', now_at BIGINT PATH '$.now', waiters LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.waiters',
      more LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.more')) r ON r.at = v_at + 1 AND r.name = l.name
    SET l.token = r.token, l.version = l.version + 1, l.holder_request = r.holder_request, l.holder_session = r.holder_session,
        l.holder_owner = r.holder_owner, l.held_since = r.held_since, l.held_until = r.held_until, l.waited = r.waited,
        l.handed_to = r.handed_to, l.touched_at = r.now_at, l.waiters = r.waiters, l.more = r.more
    WHERE l.version = r.version AND l.token = r.before_token;
    IF ROW_COUNT() > 0 THEN
      SET v_written = JSON_ARRAY_APPEND(v_written, '$', v_at);
    END IF;
    SET v_at = v_at + 1;
  END WHILE;
  IF p_alone = 1 THEN
    COMMIT;
  END IF;
  SELECT w.position FROM JSON_TABLE(v_written, '$[*]' COLUMNS (position INT PATH '$')) w;
END
