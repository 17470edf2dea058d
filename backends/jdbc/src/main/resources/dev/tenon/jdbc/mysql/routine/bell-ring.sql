-- Wakes the process of a channel: breaks the statement by which it keeps the row of its bell locked (bell-keep.sql). p_denied: 1 if that
-- is a statement of a user's that this one may not end.
CREATE PROCEDURE IF NOT EXISTS tenon_bell_ring_1(
  p_channel VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
  OUT p_denied INT)
SQL SECURITY INVOKER
BEGIN
  DECLARE v_keeper BIGINT UNSIGNED DEFAULT IS_USED_LOCK(CONCAT('tenon-bell:', p_channel));
  DECLARE CONTINUE HANDLER FOR 1094 BEGIN END; -- The keeper is gone.
  DECLARE CONTINUE HANDLER FOR 1095 SET p_denied = 1;
  SET p_denied = 0;
  IF v_keeper IS NOT NULL THEN
    KILL QUERY v_keeper;
  END IF;
END
