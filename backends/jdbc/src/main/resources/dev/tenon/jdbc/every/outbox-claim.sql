-- Gives a message to a claimant until its lease is over.
UPDATE tenon_outbox SET due_at = {clock} + :lease, behind = 0, claim = claim + 1, attempts = attempts + 1 WHERE id = :id
