-- Writes a transaction and those of its branches that changed, in one round trip, unless somebody has written it since it was
-- read; then nothing comes back. The row of the transaction is written first: who has to wait waits there, and then finds
-- another version. changed: how far branches are; put: branches as a whole; events: all of them arrays of objects, in JSON.
-- As a transaction of its own it waits three seconds, and not for ever, for a caller's that has written it and is not over: hence n
-- is looked at first. repeatable: 1 if its commit need not wait for the disk, as recovery would find out the same once more.
WITH n AS MATERIALIZED (
  SELECT {clock} AS now_at{begin}
), tx AS (
  UPDATE tenon_tx
  SET state = :state, suspended = :suspended, failing_since = :failing, stuck_at = :stuck, version = version + 1, epoch = :epoch, owner = :owner, deadline_at = :deadline,
      due_at = :due, claim_at = :claim, retry = :retry,
      ended_at = CASE WHEN :ends = 1 THEN COALESCE(ended_at, (SELECT n.now_at FROM n)) ELSE NULL END
  WHERE gid = :gid AND version = :version AND EXISTS (SELECT 1 FROM n)
  RETURNING ended_at
), changed AS (
  UPDATE tenon_tx_branch b
  SET state = c.state, attempts = c.attempts, due_at = c.due, result = c.result, last_error = c.error
  FROM json_to_recordset(CAST(:changed AS json)) AS c (position int, state text, attempts int, due bigint, result text, error text)
  WHERE b.gid = :gid AND b.position = c.position AND EXISTS (SELECT 1 FROM tx)
), put AS (
  INSERT INTO tenon_tx_branch (gid, position, name, state, attempts, due_at, result, last_error, pivot, after_branches, targets,
                               payload)
  SELECT :gid, p.position, p.name, p.state, p.attempts, p.due, p.result, p.error, p.pivot, p.after_branches, p.targets, p.payload
  FROM json_to_recordset(CAST(:put AS json))
    AS p (position int, name text, state text, attempts int, due bigint, result text, error text, pivot int,
          after_branches text, targets text, payload text)
  WHERE EXISTS (SELECT 1 FROM tx)
  ON CONFLICT (gid, position) DO UPDATE
  SET name = excluded.name, state = excluded.state, attempts = excluded.attempts, due_at = excluded.due_at,
      result = excluded.result, last_error = excluded.last_error, pivot = excluded.pivot,
      after_branches = excluded.after_branches, targets = excluded.targets, payload = excluded.payload
), removed AS (
  DELETE FROM tenon_tx_branch WHERE gid = :gid AND position >= :size AND EXISTS (SELECT 1 FROM tx)
), event AS (
  INSERT INTO tenon_tx_event (gid, version, position, happened_at, what, actor, detail)
  SELECT :gid, :version + 1, e.position, e.at, e.what, e.actor, e.detail
  FROM json_to_recordset(CAST(:events AS json)) AS e (position int, at bigint, what text, actor text, detail text)
  WHERE EXISTS (SELECT 1 FROM tx)
)
SELECT ended_at, CASE WHEN :repeatable = 1 THEN set_config('synchronous_commit', 'off', true) END FROM tx
