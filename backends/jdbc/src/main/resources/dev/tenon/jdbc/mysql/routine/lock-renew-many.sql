-- As lock-renew.sql, for many leases: p_rows is a JSON array of objects, each with what that has. Gives, for each that was renewed, where it
-- stands in the array.
CREATE PROCEDURE IF NOT EXISTS tenon_lock_renew_many_1(
  p_rows LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin)
SQL SECURITY INVOKER
BEGIN
  DECLARE v_at, v_size INT DEFAULT 0;
  DECLARE v_renewed JSON DEFAULT JSON_ARRAY();
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN
    ROLLBACK;
    RESIGNAL;
  END;
  SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
  START TRANSACTION;
  SET v_size = JSON_LENGTH(p_rows);
  WHILE v_at < v_size DO
    UPDATE tenon_lock l
    JOIN JSON_TABLE(p_rows, '$[*]' COLUMNS (
      at FOR ORDINALITY, name VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PATH '$.name', token BIGINT PATH '$.token', lease BIGINT PATH '$.lease')) r
      ON r.at = v_at + 1 AND r.name = l.name
    SET l.held_until = TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) + r.lease, l.version = l.version + 1, l.handed_to = NULL
    WHERE l.token = r.token AND l.holder_request IS NOT NULL AND l.held_until > TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) AND l.touched_at <= TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) AND l.more = '';
    IF ROW_COUNT() > 0 THEN
      SET v_renewed = JSON_ARRAY_APPEND(v_renewed, '$', v_at);
    END IF;
    SET v_at = v_at + 1;
  END WHILE;
  COMMIT;
  SELECT r.position FROM JSON_TABLE(v_renewed, '$[*]' COLUMNS (position INT PATH '$')) r;
END
