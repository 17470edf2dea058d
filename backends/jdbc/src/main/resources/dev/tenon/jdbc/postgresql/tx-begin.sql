-- Begins a transaction with its branches in one round trip, unless there is one of that ID; then nothing comes back.
-- branches: an array of objects, in JSON. As a transaction of its own it waits three seconds, and not for ever, for one of a caller's
-- that has begun the same one and is not over.
WITH n AS MATERIALIZED (
  SELECT {clock} AS now_at{begin}
), tx AS (
  INSERT INTO tenon_tx (gid, kind, service, name, state, suspended, version, epoch, owner, created_at, deadline_at, due_at,
                        claim_at, ended_at, parent, retry, digest, payload)
  SELECT :gid, :kind, :service, :name, :state, NULL, 1, 1, :owner, n.now_at, n.now_at + :deadline, n.now_at + :lease,
         n.now_at + :lease, NULL, :parent, :retry, :digest, :payload
  FROM n
  ON CONFLICT (gid) DO NOTHING
  RETURNING created_at, due_at
), branch AS (
  INSERT INTO tenon_tx_branch (gid, position, name, state, attempts, due_at, result, last_error, pivot, after_branches, targets,
                               payload)
  SELECT :gid, b.position, b.name, b.state, b.attempts, b.due, b.result, b.error, b.pivot, b.after_branches, b.targets, b.payload
  FROM json_to_recordset(CAST(:branches AS json))
    AS b (position int, name text, state text, attempts int, due bigint, result text, error text, pivot int,
          after_branches text, targets text, payload text)
  WHERE EXISTS (SELECT 1 FROM tx)
)
SELECT created_at, due_at FROM tx
