-- Gives a lock back, or on to the head of its queue, and rings that one's process, in one round trip. done says whether
-- it was so, denied that that one could not be woken; if it was not, the caller goes on from the row: the token is not the right one, the head has given up, or there is
-- more in the row than plain exclusive holding.
-- A waiter of the process that releases is told by that process itself, without the bell.
-- Assignments run from left to right; waiters, from which the head is read, comes last. From MariaDB 11 on the value of an assignment (:=)
-- can't be compared with a text of another collation, which a column can.
-- To ring is to break the statement by which the process keeps the row of its bell locked (bell-keep.sql): the user lock
-- of the channel tells its connection. It comes after the hand-over is committed, so that whoever wakes sees it.
BEGIN NOT ATOMIC
  DECLARE keeper BIGINT DEFAULT NULL;
  DECLARE denied INT DEFAULT 0;
  DECLARE CONTINUE HANDLER FOR 1094 BEGIN END; -- The keeper is gone.
  DECLARE CONTINUE HANDLER FOR 1095 SET denied = 1; -- It is of another user.
  SET @tenon_to = NULL;
  UPDATE tenon_lock
  SET touched_at = GREATEST(touched_at, {clock}),
      token = IF(waiters = '', token, GREATEST(touched_at, token + {stride})),
      version = version + 1,
      holder_request = IF(waiters = '', NULL, SUBSTRING_INDEX(waiters, CHAR(9 USING utf8mb4), 1)),
      holder_session = IF(waiters = '', NULL, SUBSTRING_INDEX(SUBSTRING_INDEX(waiters, CHAR(9 USING utf8mb4), 2), CHAR(9 USING utf8mb4), -1)),
      holder_owner = IF(waiters = '', NULL, SUBSTRING_INDEX(SUBSTRING_INDEX(waiters, CHAR(9 USING utf8mb4), 3), CHAR(9 USING utf8mb4), -1)),
      held_since = touched_at,
      held_until = IF(waiters = '', touched_at, touched_at + LEAST(:claim,
          CAST(SUBSTRING_INDEX(SUBSTRING_INDEX(waiters, CHAR(9 USING utf8mb4), 4), CHAR(9 USING utf8mb4), -1) AS SIGNED))),
      waited = IF(waiters = '', 0, touched_at
          - CAST(SUBSTRING_INDEX(SUBSTRING_INDEX(waiters, CHAR(9 USING utf8mb4), 5), CHAR(9 USING utf8mb4), -1) AS SIGNED)),
      handed_to = IF((@tenon_to := IF(waiters = '', NULL, SUBSTRING_INDEX(holder_session, ' ', 1))) IS NULL, NULL,
          NULLIF(SUBSTRING_INDEX(holder_session, ' ', 1), :channel)),
      waiters = SUBSTRING(waiters, LOCATE(CHAR(10 USING utf8mb4), waiters) + 1)
  WHERE name = :name AND token = :token AND holder_request IS NOT NULL AND more = ''
    AND held_until > GREATEST(touched_at, {clock})
    AND (waiters = '' OR GREATEST(touched_at, {clock})
         < CAST(SUBSTRING_INDEX(SUBSTRING_INDEX(SUBSTRING_INDEX(waiters, CHAR(10 USING utf8mb4), 1), CHAR(9 USING utf8mb4), 6), CHAR(9 USING utf8mb4), -1) AS SIGNED));
  IF ROW_COUNT() > 0 THEN
    IF @tenon_to IS NULL THEN
      SELECT 1 AS done, 0 AS handed, 0 AS denied;
    ELSE
      IF @tenon_to <> :channel THEN
        SET keeper = IS_USED_LOCK(CONCAT('tenon-bell:', @tenon_to));
        IF keeper IS NOT NULL THEN
          KILL QUERY keeper;
        END IF;
      END IF;
      SELECT 1 AS done, 1 AS handed, denied, name, token, version, holder_request, holder_session, holder_owner, held_since,
             held_until, waited, handed_to, touched_at, waiters, more, GREATEST({clock}, touched_at) AS now_at, 0 AS fence
      FROM tenon_lock WHERE name = :name;
    END IF;
  ELSE
    SELECT 0 AS done, 0 AS handed, 0 AS denied, name, token, version, holder_request, holder_session, holder_owner, held_since,
           held_until, waited, handed_to, touched_at, waiters, more, GREATEST({clock}, touched_at) AS now_at, 0 AS fence
    FROM tenon_lock WHERE name = :name;
  END IF;
END
