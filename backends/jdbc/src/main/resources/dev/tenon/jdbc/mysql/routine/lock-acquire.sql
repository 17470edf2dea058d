-- Takes a free lock, or a place at the end of its queue; the caller reads the answer off the row. v_step is 1 to take the lock, 2 to
-- queue, and 0 to leave the row as it is (taken, repeated; or a waiter is to be promoted, or there is more in the row than plain exclusive
-- holding, which is left to the state machine).
CREATE PROCEDURE IF NOT EXISTS tenon_lock_acquire_1(
  p_name VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
  p_request VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
  p_session VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
  p_owner VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
  p_lease BIGINT,
  p_wait BIGINT)
SQL SECURITY INVOKER
BEGIN
  DECLARE v_now, v_token BIGINT;
  DECLARE v_step INT DEFAULT 0;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN
    ROLLBACK;
    RESIGNAL;
  END;
  SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
  START TRANSACTION;
  SELECT token, GREATEST(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)), touched_at), CASE
      WHEN more <> '' THEN 0
      WHEN waiters = '' AND (holder_request IS NULL OR held_until <= GREATEST(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)), touched_at)) THEN 1
      WHEN p_wait > 0 AND holder_request <> p_request AND held_until > GREATEST(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)), touched_at)
           AND LOCATE(CONCAT(CHAR(10 USING utf8mb4), p_request, CHAR(9 USING utf8mb4)), CONCAT(CHAR(10 USING utf8mb4), waiters)) = 0 THEN 2
      ELSE 0 END
  INTO v_token, v_now, v_step FROM tenon_lock WHERE name = p_name FOR UPDATE;
  IF v_token IS NULL THEN
    -- Of two that begin the row at once, the second waits here for the first, and leaves it as it is then: the state machine goes on.
    INSERT INTO tenon_lock (name, token, version, holder_request, holder_session, holder_owner, held_since, held_until,
                            waited, handed_to, touched_at, waiters)
    SELECT p_name, GREATEST(n.now_at, n.fence + 32), 1, p_request, p_session, p_owner, n.now_at, n.now_at + p_lease,
           0, NULL, n.now_at, ''
    FROM (SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) AS now_at, (SELECT MAX(token) FROM tenon_fence) AS fence) n
    ON DUPLICATE KEY UPDATE version = tenon_lock.version;
  ELSEIF v_step = 1 THEN
    UPDATE tenon_lock
    SET token = GREATEST(v_now, v_token + 32), version = version + 1, holder_request = p_request, holder_session = p_session,
        holder_owner = p_owner, held_since = v_now, held_until = v_now + p_lease, waited = 0, handed_to = NULL, touched_at = v_now
    WHERE name = p_name;
  ELSEIF v_step = 2 THEN
    UPDATE tenon_lock
    SET version = version + 1, touched_at = v_now,
        waiters = CONCAT(waiters, p_request, CHAR(9 USING utf8mb4), p_session, CHAR(9 USING utf8mb4), p_owner, CHAR(9 USING utf8mb4), p_lease,
                         CHAR(9 USING utf8mb4), v_now, CHAR(9 USING utf8mb4), v_now + p_wait, CHAR(10 USING utf8mb4))
    WHERE name = p_name;
  END IF;
  SELECT name, token, version, holder_request, holder_session, holder_owner, held_since, held_until, waited,
         handed_to, touched_at, waiters, more, GREATEST(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)), touched_at) AS now_at, 0 AS fence
  FROM tenon_lock WHERE name = p_name;
  COMMIT;
END
