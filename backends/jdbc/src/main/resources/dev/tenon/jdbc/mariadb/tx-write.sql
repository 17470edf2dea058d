-- Writes a transaction and those of its branches that changed, in one round trip, unless somebody has written it since it was
-- read; then nothing comes back. had and size: how many branches it had and has; changed: how far branches are; put: branches as a
-- whole; events: all of the last three arrays of objects, in JSON. To read one this server makes a file for a moment, so none is
-- read that is empty. Within the caller's transaction it begins none, and commits nothing.
BEGIN NOT ATOMIC
  DECLARE tenon_now BIGINT DEFAULT {clock};
  DECLARE tenon_found INT DEFAULT 0;
  DECLARE tenon_ended BIGINT DEFAULT NULL;
  {begin}
  UPDATE tenon_tx
  SET state = :state, suspended = :suspended, failing_since = :failing, stuck_at = :stuck, version = version + 1, epoch = :epoch, owner = :owner, deadline_at = :deadline,
      due_at = :due, claim_at = :claim, retry = :retry,
      ended_at = CASE WHEN :ends = 1 THEN COALESCE(ended_at, tenon_now) ELSE NULL END
  WHERE gid = :gid AND version = :version;
  SET tenon_found = ROW_COUNT();
  IF tenon_found > 0 THEN
    IF :changed <> '[]' THEN
      UPDATE tenon_tx_branch b
      JOIN JSON_TABLE(:changed, '$[*]' COLUMNS (
        position INT PATH '$.position', state VARCHAR(20) CHARACTER SET utf8mb4 PATH '$.state', attempts INT PATH '$.attempts',
        due BIGINT PATH '$.due', result LONGTEXT CHARACTER SET utf8mb4 PATH '$.result',
        error VARCHAR(1000) CHARACTER SET utf8mb4 PATH '$.error')) c ON c.position = b.position
      SET b.state = c.state, b.attempts = c.attempts, b.due_at = c.due, b.result = c.result, b.last_error = c.error
      WHERE b.gid = :gid;
    END IF;
    IF :put <> '[]' THEN
      INSERT INTO tenon_tx_branch (gid, position, name, state, attempts, due_at, result, last_error, pivot, after_branches, targets,
                                   payload)
      SELECT :gid, p.position, p.name, p.state, p.attempts, p.due, p.result, p.error, p.pivot, p.after_branches, p.targets, p.payload
      FROM JSON_TABLE(:put, '$[*]' COLUMNS (
        position INT PATH '$.position', name VARCHAR(200) CHARACTER SET utf8mb4 PATH '$.name',
        state VARCHAR(20) CHARACTER SET utf8mb4 PATH '$.state', attempts INT PATH '$.attempts', due BIGINT PATH '$.due',
        result LONGTEXT CHARACTER SET utf8mb4 PATH '$.result', error VARCHAR(1000) CHARACTER SET utf8mb4 PATH '$.error',
        pivot INT PATH '$.pivot', after_branches LONGTEXT CHARACTER SET utf8mb4 PATH '$.after_branches',
        targets LONGTEXT CHARACTER SET utf8mb4 PATH '$.targets', payload LONGTEXT CHARACTER SET utf8mb4 PATH '$.payload')) p
      ON DUPLICATE KEY UPDATE
        name = VALUES(name), state = VALUES(state), attempts = VALUES(attempts), due_at = VALUES(due_at), result = VALUES(result),
        last_error = VALUES(last_error), pivot = VALUES(pivot), after_branches = VALUES(after_branches),
        targets = VALUES(targets), payload = VALUES(payload);
    END IF;
    -- Where there are none, it would lock the first branch of the next transaction at REPEATABLE READ.
    IF :size < :had THEN
      DELETE FROM tenon_tx_branch WHERE gid = :gid AND position >= :size;
    END IF;
    IF :events <> '[]' THEN
      INSERT INTO tenon_tx_event (gid, version, position, happened_at, what, actor, detail)
      SELECT :gid, :version + 1, e.position, e.at, e.what, e.actor, e.detail
      FROM JSON_TABLE(:events, '$[*]' COLUMNS (
        position INT PATH '$.position', at BIGINT PATH '$.at', what LONGTEXT CHARACTER SET utf8mb4 PATH '$.what',
        actor LONGTEXT CHARACTER SET utf8mb4 PATH '$.actor', detail LONGTEXT CHARACTER SET utf8mb4 PATH '$.detail')) e;
    END IF;
    SELECT ended_at INTO tenon_ended FROM tenon_tx WHERE gid = :gid;
  END IF;
  {commit}
  SELECT tenon_ended AS ended_at FROM DUAL WHERE tenon_found > 0;
END
