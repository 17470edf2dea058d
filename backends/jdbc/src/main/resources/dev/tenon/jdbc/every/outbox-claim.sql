-- Gives a message to a claimant until its lease is over. One that was tried before, without anybody's saying what came of it, is failing.
UPDATE tenon_outbox SET failing_since = CASE WHEN attempts > 0 THEN COALESCE(failing_since, {clock}) ELSE failing_since END,
  due_at = {clock} + :lease, behind = 0, claim = claim + 1, attempts = attempts + 1
WHERE id = :id
