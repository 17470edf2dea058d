-- Writes a transaction, unless somebody has written it since it was read.
UPDATE tenon_tx
SET state = :state, suspended = :suspended, failing_since = :failing, stuck_at = :stuck, version = version + 1, epoch = :epoch, owner = :owner, deadline_at = :deadline,
    due_at = :due, claim_at = :claim, ended_at = CASE WHEN :ends = 1 THEN COALESCE(ended_at, {clock}) ELSE NULL END,
    retry = :retry
WHERE gid = :gid AND version = :version
