-- A page of the transactions that somebody has to look at, with their branches, the newest first: those that wait for an operator and those
-- that are reported as stuck each have an index of their own. A closed one says why it was closed in the same column, but has ended.
SELECT t.gid, t.kind, t.service, t.name, t.state, t.suspended, t.failing_since, t.stuck_at, t.version, t.epoch, t.owner,
       t.created_at, t.deadline_at, t.due_at, t.ended_at, t.parent, t.retry, t.digest,
       CASE WHEN b.position > 0 THEN NULL ELSE t.payload END AS payload,
       b.position, b.name AS branch, b.state AS branch_state, b.attempts, b.due_at AS branch_due_at, b.result, b.last_error,
       b.pivot, b.after_branches, b.targets, b.payload AS branch_payload
FROM (SELECT x.* FROM (SELECT s.gid FROM tenon_tx s WHERE s.suspended IS NOT NULL
                      UNION SELECT r.gid FROM tenon_tx r WHERE r.stuck_at IS NOT NULL) k
      JOIN tenon_tx x ON x.gid = k.gid
      WHERE x.created_at <= :at AND (x.created_at < :at OR x.gid < :after) AND x.created_at BETWEEN :from AND :until
        AND (:state = '' OR x.state = :state) AND (:kind = '' OR x.kind = :kind)
        AND (:services = 0 OR x.service = :service) AND (:prefix = '' OR x.gid >= :prefix AND x.gid < :beyond)
        AND (:error = '' OR LOWER(x.suspended) LIKE LOWER(:error) ESCAPE '!' OR EXISTS (
          SELECT 1 FROM tenon_tx_branch e WHERE e.gid = x.gid AND LOWER(e.last_error) LIKE LOWER(:error) ESCAPE '!'))
        AND x.ended_at IS NULL
      ORDER BY x.created_at DESC, x.gid DESC LIMIT :limit) t
LEFT JOIN tenon_tx_branch b ON b.gid = t.gid
ORDER BY t.created_at DESC, t.gid DESC, b.position
