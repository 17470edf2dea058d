-- Begins a transaction with its branches, unless there is one of that ID; then nothing comes back.
-- branches: an array of objects, in JSON.
-- p_alone: 1 for a transaction of its own; within the caller's (0) it begins none, and commits nothing.
CREATE PROCEDURE IF NOT EXISTS tenon_tx_begin_1(
  p_gid VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
  p_kind VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
  p_service VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
  p_name VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
  p_state VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
  p_owner VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
  p_deadline BIGINT,
  p_lease BIGINT,
  p_parent VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
  p_retry VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
  p_digest VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
  p_payload LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
  p_branches LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
  p_alone INT)
SQL SECURITY INVOKER
BEGIN
  DECLARE v_now BIGINT DEFAULT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6));
  DECLARE v_known INT DEFAULT 0;
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
  BEGIN
    DECLARE CONTINUE HANDLER FOR 1062 SET v_known = 1;
    INSERT INTO tenon_tx (gid, kind, service, name, state, suspended, version, epoch, owner, created_at, deadline_at, due_at,
                          claim_at, ended_at, parent, retry, digest, payload)
    VALUES (p_gid, p_kind, p_service, p_name, p_state, NULL, 1, 1, p_owner, v_now, v_now + p_deadline, v_now + p_lease,
            v_now + p_lease, NULL, p_parent, p_retry, p_digest, p_payload);
  END;
  IF v_known = 0 THEN
    INSERT INTO tenon_tx_branch (gid, position, name, state, attempts, due_at, result, last_error, pivot, after_branches, targets,
                                 payload)
    SELECT p_gid, b.position, b.name, b.state, b.attempts, b.due, b.result, b.error, b.pivot, b.after_branches, b.targets, b.payload
    FROM JSON_TABLE(p_branches, '$[*]' COLUMNS (
      position INT PATH '$.position', name VARCHAR(200) CHARACTER SET utf8mb4 PATH '$.name',
      state VARCHAR(20) CHARACTER SET utf8mb4 PATH '$.state', attempts INT PATH '$.attempts', due BIGINT PATH '$.due',
      result LONGTEXT CHARACTER SET utf8mb4 PATH '$.result', error VARCHAR(1000) CHARACTER SET utf8mb4 PATH '$.error',
      pivot INT PATH '$.pivot', after_branches LONGTEXT CHARACTER SET utf8mb4 PATH '$.after_branches',
      targets LONGTEXT CHARACTER SET utf8mb4 PATH '$.targets', payload LONGTEXT CHARACTER SET utf8mb4 PATH '$.payload')) b;
  END IF;
  IF p_alone = 1 THEN
    COMMIT;
  END IF;
  SELECT v_now AS created_at, v_now + p_lease AS due_at FROM DUAL WHERE v_known = 0;
END
