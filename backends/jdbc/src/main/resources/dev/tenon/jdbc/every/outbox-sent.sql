-- A message that was sent, and is kept for a while.
UPDATE tenon_outbox SET lane = NULL, due_at = NULL, closed = 'sent', ended_at = {clock}, failing_since = NULL
WHERE id = :id AND claim = :claim AND closed IS NULL
