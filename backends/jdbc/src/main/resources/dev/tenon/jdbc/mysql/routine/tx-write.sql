-- Writes a transaction and those of its branches that changed, unless somebody has written it since it was
-- read; then nothing comes back. had and size: how many branches it had and has; changed: how far branches are; put: branches as a
-- whole; events: all of the last three arrays of objects, in JSON. To read one this server makes a file for a moment, so none is
-- read that is empty.
-- p_alone: 1 for a transaction of its own; within the caller's (0) it begins none, and commits nothing.
CREATE PROCEDURE IF NOT EXISTS tenon_tx_write_1(
  p_state VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
  p_suspended VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
  p_failing BIGINT,
  p_stuck BIGINT,
  p_epoch BIGINT,
  p_owner VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
  p_deadline BIGINT,
  p_due BIGINT,
  p_claim BIGINT,
  p_retry VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
  p_ends BIGINT,
  p_gid VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
  p_version BIGINT,
  p_changed LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
  p_put LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
  p_size BIGINT,
  p_had BIGINT,
  p_events LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
  p_alone INT)
SQL SECURITY INVOKER
BEGIN
  DECLARE v_now BIGINT DEFAULT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6));
  DECLARE v_found INT DEFAULT 0;
  DECLARE v_ended BIGINT DEFAULT NULL;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN
    IF p_alone = 1 THEN
      ROLLBACK;
    END IF;
    RESIGNAL;
  END;
  IF p_alone = 1 THEN
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
    START TRANSACTION;
  END IF;
  UPDATE tenon_tx
  SET state = p_state, suspended = p_suspended, failing_since = p_failing, stuck_at = p_stuck, version = version + 1, epoch = p_epoch, owner = p_owner, deadline_at = p_deadline,
      due_at = p_due, claim_at = p_claim, retry = p_retry,
      ended_at = CASE WHEN p_ends = 1 THEN COALESCE(ended_at, v_now) ELSE NULL END
  WHERE gid = p_gid AND version = p_version;
  SET v_found = ROW_COUNT();
  IF v_found > 0 THEN
    IF p_changed <> '[]' THEN
      UPDATE tenon_tx_branch b
      JOIN JSON_TABLE(p_changed, '$[*]' COLUMNS (
        position INT PATH '$.position', state VARCHAR(20) CHARACTER SET utf8mb4 PATH '$.state', attempts INT PATH '$.attempts',
        due BIGINT PATH '$.due', result LONGTEXT CHARACTER SET utf8mb4 PATH '$.result',
        error VARCHAR(1000) CHARACTER SET utf8mb4 PATH '$.error')) c ON c.position = b.position
      SET b.state = c.state, b.attempts = c.attempts, b.due_at = c.due, b.result = c.result, b.last_error = c.error
      WHERE b.gid = p_gid;
    END IF;
    IF p_put <> '[]' THEN
      INSERT INTO tenon_tx_branch (gid, position, name, state, attempts, due_at, result, last_error, pivot, after_branches, targets,
                                   payload)
      SELECT p_gid, p.position, p.name, p.state, p.attempts, p.due, p.result, p.error, p.pivot, p.after_branches, p.targets, p.payload
      FROM JSON_TABLE(p_put, '$[*]' COLUMNS (
        position INT PATH '$.position', name VARCHAR(200) CHARACTER SET utf8mb4 PATH '$.name',
        state VARCHAR(20) CHARACTER SET utf8mb4 PATH '$.state', attempts INT PATH '$.attempts', due BIGINT PATH '$.due',
        result LONGTEXT CHARACTER SET utf8mb4 PATH '$.result', error VARCHAR(1000) CHARACTER SET utf8mb4 PATH '$.error',
        pivot INT PATH '$.pivot', after_branches LONGTEXT CHARACTER SET utf8mb4 PATH '$.after_branches',
        targets LONGTEXT CHARACTER SET utf8mb4 PATH '$.targets', payload LONGTEXT CHARACTER SET utf8mb4 PATH '$.payload')) p
      ON DUPLICATE KEY UPDATE
        name = p.name, state = p.state, attempts = p.attempts, due_at = p.due, result = p.result,
        last_error = p.error, pivot = p.pivot, after_branches = p.after_branches,
        targets = p.targets, payload = p.payload;
    END IF;
    -- Where there are none, it would lock the first branch of the next transaction at REPEATABLE READ.
    IF p_size < p_had THEN
      DELETE FROM tenon_tx_branch WHERE gid = p_gid AND position >= p_size;
    END IF;
    IF p_events <> '[]' THEN
      INSERT INTO tenon_tx_event (gid, version, position, happened_at, what, actor, detail)
      SELECT p_gid, p_version + 1, e.position, e.at, e.what, e.actor, e.detail
      FROM JSON_TABLE(p_events, '$[*]' COLUMNS (
        position INT PATH '$.position', at BIGINT PATH '$.at', what LONGTEXT CHARACTER SET utf8mb4 PATH '$.what',
        actor LONGTEXT CHARACTER SET utf8mb4 PATH '$.actor', detail LONGTEXT CHARACTER SET utf8mb4 PATH '$.detail')) e;
    END IF;
    SELECT ended_at INTO v_ended FROM tenon_tx WHERE gid = p_gid;
  END IF;
  IF p_alone = 1 THEN
    COMMIT;
  END IF;
  SELECT v_ended AS ended_at FROM DUAL WHERE v_found > 0;
END
