-- One transaction with its branches, as one look sees them; the payload once.
SELECT t.gid, t.kind, t.service, t.name, t.state, t.suspended, t.failing_since, t.stuck_at, t.version, t.epoch, t.owner, t.created_at, t.deadline_at,
       t.due_at, t.ended_at, t.parent, t.retry, t.digest, CASE WHEN b.position > 0 THEN NULL ELSE t.payload END AS payload,
       b.position, b.name AS branch, b.state AS branch_state, b.attempts, b.due_at AS branch_due_at, b.result, b.last_error,
       b.pivot, b.after_branches, b.targets, b.payload AS branch_payload
FROM tenon_tx t LEFT JOIN tenon_tx_branch b ON b.gid = t.gid
WHERE t.gid = :gid
ORDER BY b.position
