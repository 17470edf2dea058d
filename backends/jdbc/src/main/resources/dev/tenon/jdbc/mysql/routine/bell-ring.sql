-- Wakes the process of a channel: breaks the statement by which it keeps the row of its bell locked (bell-keep.sql).
CREATE PROCEDURE IF NOT EXISTS tenon_bell_ring_1(
  p_channel VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin)
SQL SECURITY INVOKER
BEGIN
  DECLARE v_keeper BIGINT UNSIGNED DEFAULT IS_USED_LOCK(CONCAT('tenon-bell:', p_channel));
  -- The keeper is gone, or of another user.
  DECLARE CONTINUE HANDLER FOR 1094, 1095 BEGIN END;
  IF v_keeper IS NOT NULL THEN
    KILL QUERY v_keeper;
  END IF;
END
