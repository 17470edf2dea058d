-- As lock-write.sql, and rings for those that were granted the lock, one a line, the channel first, in the same round
-- trip, after the write is committed. written is 0 if somebody has written the row since it was read.
BEGIN NOT ATOMIC
  DECLARE written INT DEFAULT 0;
  DECLARE keeper BIGINT DEFAULT NULL;
  -- The keeper is gone, or of another user.
  DECLARE CONTINUE HANDLER FOR 1094, 1095 BEGIN END;
  UPDATE tenon_lock
  SET token = :token, version = version + 1, holder_request = :holderRequest, holder_session = :holderSession,
      holder_owner = :holderOwner, held_since = :heldSince, held_until = :heldUntil, waited = :waited,
      handed_to = :handedTo, touched_at = :now, waiters = :waiters, more = :more
  WHERE name = :name AND version = :version AND token = :before;
  SET written = ROW_COUNT();
  SET @tenon_told = IF(written > 0, CONCAT(:told, CHAR(10 USING utf8mb4)), '');
  WHILE @tenon_told <> '' DO
    SET keeper = IS_USED_LOCK(CONCAT('tenon-bell:', SUBSTRING_INDEX(@tenon_told, CHAR(9 USING utf8mb4), 1)));
    IF keeper IS NOT NULL THEN
      KILL QUERY keeper;
    END IF;
    SET @tenon_told = SUBSTRING(@tenon_told, LOCATE(CHAR(10 USING utf8mb4), @tenon_told) + 1);
  END WHILE;
  SELECT written;
END
