-- Locks transactions that are due, those that have waited longest first; what others are claiming now is theirs. Found without a
-- lock and then locked by its key: a range would have this server lock what stands behind its end, too, which is another service's
-- transaction. Reads little more than it gives, in case others are at what is first: an index has what is due, and nothing else
-- before it.
SELECT STRAIGHT_JOIN t.gid, t.kind, t.service, t.name, t.state, t.suspended, t.failing_since, t.stuck_at, t.version, t.epoch, t.owner, t.created_at,
       t.deadline_at, t.due_at, t.ended_at, t.parent, t.retry, t.digest, t.payload, {clock} AS now_at
FROM (SELECT gid FROM tenon_tx WHERE service = :service AND claim_at <= (SELECT {clock}) ORDER BY claim_at LIMIT :look) d
JOIN tenon_tx t FORCE INDEX (PRIMARY) ON t.gid = d.gid
WHERE t.service = :service AND t.claim_at <= (SELECT {clock})
LIMIT :limit
FOR UPDATE SKIP LOCKED
