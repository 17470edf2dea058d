-- Writes how far a branch is.
UPDATE tenon_tx_branch SET state = :state, attempts = :attempts, due_at = :due, result = :result, last_error = :error
WHERE gid = :gid AND position = :position
