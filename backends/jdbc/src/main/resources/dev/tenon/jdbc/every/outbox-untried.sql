-- A message that was claimed for nothing: behind the others of its lane again, or due at once if it has none.
UPDATE tenon_outbox SET due_at = {clock} + :pause, behind = :behind, attempts = attempts - 1
WHERE id = :id AND claim = :claim AND closed IS NULL
