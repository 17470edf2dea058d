-- The branches of what this transaction has just claimed (and perhaps of more). Read after the rows were locked, so that they
-- are as the transactions that they belong to.
SELECT b.gid, b.position, b.name AS branch, b.state AS branch_state, b.attempts, b.due_at AS branch_due_at, b.result,
       b.last_error, b.pivot, b.after_branches, b.targets, b.payload AS branch_payload
FROM tenon_tx t JOIN tenon_tx_branch b ON b.gid = t.gid
WHERE t.service = :service AND t.claim_at = :until AND t.owner = :owner
ORDER BY b.gid, b.position
