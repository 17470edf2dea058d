-- Wakes the process of a channel, as lock-release.sql does.
BEGIN NOT ATOMIC
  DECLARE keeper BIGINT DEFAULT IS_USED_LOCK(CONCAT('tenon-bell:', :channel));
  -- The keeper is gone, or of another user.
  DECLARE CONTINUE HANDLER FOR 1094, 1095 BEGIN END;
  IF keeper IS NOT NULL THEN
    KILL QUERY keeper;
  END IF;
END
