-- Gives a transaction to its claimant; its row is locked.
UPDATE tenon_tx SET version = version + 1, epoch = epoch + 1, owner = :owner, due_at = :until, claim_at = :until
WHERE gid = :gid
