-- A page of the transactions with their branches. Reads in the order of the IDs, and goes on until it has found enough.
SELECT t.gid, t.kind, t.service, t.name, t.state, t.suspended, t.version, t.epoch, t.owner, t.created_at, t.deadline_at,
       t.due_at, t.ended_at, t.parent, t.retry, t.digest, CASE WHEN b.position > 0 THEN NULL ELSE t.payload END AS payload,
       b.position, b.name AS branch, b.state AS branch_state, b.attempts, b.due_at AS branch_due_at, b.result, b.last_error,
       b.pivot, b.after_branches, b.targets, b.payload AS branch_payload
FROM (SELECT * FROM tenon_tx
      WHERE gid > :after AND (:state = '' OR state = :state) AND (:kind = '' OR kind = :kind)
      ORDER BY gid LIMIT :limit) t
LEFT JOIN tenon_tx_branch b ON b.gid = t.gid
ORDER BY t.gid, b.position
