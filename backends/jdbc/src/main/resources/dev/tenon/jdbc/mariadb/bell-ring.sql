-- Wakes the process of a channel, as lock-release.sql does.
BEGIN NOT ATOMIC
  DECLARE keeper BIGINT DEFAULT IS_USED_LOCK(CONCAT('tenon-bell:', :channel));
  IF keeper IS NOT NULL THEN
    KILL QUERY keeper;
  END IF;
END
