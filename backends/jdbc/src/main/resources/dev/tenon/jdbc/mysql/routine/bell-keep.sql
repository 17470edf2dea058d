-- Keeps the row of the bell locked, without changing it, until five seconds are over or a release breaks this statement
-- (KILL QUERY): then the listener, which waits for the row, goes on at once, without a round trip in between.
-- It passes the time with a lock that it can't get, as the one whose name it has is the listener's. kept: whether the row is there.
CREATE PROCEDURE IF NOT EXISTS tenon_bell_keep_1(
  p_channel VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin)
SQL SECURITY INVOKER
BEGIN
  DECLARE v_seen VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN
    ROLLBACK;
    RESIGNAL;
  END;
  SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
  START TRANSACTION;
  SELECT channel INTO v_seen FROM tenon_bell WHERE channel = p_channel FOR UPDATE;
  IF v_seen IS NOT NULL THEN
    DO GET_LOCK(CONCAT('tenon-wait:', p_channel), 5);
  END IF;
  COMMIT;
END
