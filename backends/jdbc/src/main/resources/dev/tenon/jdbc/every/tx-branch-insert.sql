-- Writes down a new branch.
INSERT INTO tenon_tx_branch (gid, position, name, state, attempts, due_at, result, last_error, pivot, after_branches, targets,
                             payload)
VALUES (:gid, :position, :name, :state, :attempts, :due, :result, :error, :pivot, :after, :targets, :payload)
