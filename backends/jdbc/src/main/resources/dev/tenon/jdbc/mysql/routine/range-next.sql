-- Takes the next numbers of a sequence: as many as were asked for, or those that are left. given 0: none was left.
-- A name that was never defined begins with 1, 2, 3, …
CREATE PROCEDURE IF NOT EXISTS tenon_range_next_1(
  p_name VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
  p_count BIGINT)
SQL SECURITY INVOKER
BEGIN
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN
    ROLLBACK;
    RESIGNAL;
  END;
  SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
  START TRANSACTION;
  -- Assignments run from left to right.
  INSERT INTO tenon_range (name, start_value, step_size, max_value, last_given, given)
  VALUES (p_name, 1, 1, 9223372036854775807, p_count, p_count)
  ON DUPLICATE KEY UPDATE
    given = IF(last_given > max_value - step_size, 0,
               LEAST(p_count - 1, (max_value - (last_given + step_size)) DIV step_size) + 1),
    last_given = last_given + step_size * given;
  SELECT start_value, step_size, max_value, last_given, given FROM tenon_range WHERE name = p_name;
  COMMIT;
END
