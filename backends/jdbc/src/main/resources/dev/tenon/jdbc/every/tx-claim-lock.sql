-- Locks transactions that are due, those that have waited longest first; what others are claiming now is theirs. Reads no more
-- than it gives: an index has what is due, and nothing else before it.
SELECT t.gid, t.kind, t.service, t.name, t.state, t.suspended, t.failing_since, t.stuck_at, t.version, t.epoch, t.owner, t.created_at, t.deadline_at,
       t.due_at, t.ended_at, t.parent, t.retry, t.digest, t.payload, {clock} AS now_at
FROM tenon_tx t
WHERE t.service = :service AND t.claim_at <= (SELECT {clock})
ORDER BY t.claim_at LIMIT :limit
FOR UPDATE SKIP LOCKED
