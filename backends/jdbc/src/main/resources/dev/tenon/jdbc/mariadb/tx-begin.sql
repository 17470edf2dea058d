-- Begins a transaction with its branches in one round trip, unless there is one of that ID; then nothing comes back.
-- branches: an array of objects, in JSON. Within the caller's transaction it begins none, and commits nothing.
BEGIN NOT ATOMIC
  DECLARE tenon_now BIGINT DEFAULT {clock};
  DECLARE tenon_known INT DEFAULT 0;
  {begin}
  BEGIN
    DECLARE CONTINUE HANDLER FOR 1062 SET tenon_known = 1;
    INSERT INTO tenon_tx (gid, kind, service, name, state, suspended, version, epoch, owner, created_at, deadline_at, due_at,
                          claim_at, ended_at, parent, retry, digest, payload)
    VALUES (:gid, :kind, :service, :name, :state, NULL, 1, 1, :owner, tenon_now, tenon_now + :deadline, tenon_now + :lease,
            tenon_now + :lease, NULL, :parent, :retry, :digest, :payload);
  END;
  IF tenon_known = 0 THEN
    INSERT INTO tenon_tx_branch (gid, position, name, state, attempts, due_at, result, last_error, pivot, after_branches, targets,
                                 payload)
    SELECT :gid, b.position, b.name, b.state, b.attempts, b.due, b.result, b.error, b.pivot, b.after_branches, b.targets, b.payload
    FROM JSON_TABLE(:branches, '$[*]' COLUMNS (
      position INT PATH '$.position', name VARCHAR(200) CHARACTER SET utf8mb4 PATH '$.name',
      state VARCHAR(20) CHARACTER SET utf8mb4 PATH '$.state', attempts INT PATH '$.attempts', due BIGINT PATH '$.due',
      result LONGTEXT CHARACTER SET utf8mb4 PATH '$.result', error VARCHAR(1000) CHARACTER SET utf8mb4 PATH '$.error',
      pivot INT PATH '$.pivot', after_branches LONGTEXT CHARACTER SET utf8mb4 PATH '$.after_branches',
      targets LONGTEXT CHARACTER SET utf8mb4 PATH '$.targets', payload LONGTEXT CHARACTER SET utf8mb4 PATH '$.payload')) b;
  END IF;
  {commit}
  SELECT tenon_now AS created_at, tenon_now + :lease AS due_at FROM DUAL WHERE tenon_known = 0;
END
