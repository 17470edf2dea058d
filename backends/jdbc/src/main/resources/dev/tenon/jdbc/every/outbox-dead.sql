-- A message that becomes a dead letter. It keeps its lane.
UPDATE tenon_outbox SET due_at = NULL, closed = 'dead', ended_at = {clock}, failing_since = COALESCE(failing_since, {clock}),
  history = RIGHT(CONCAT(history, {clock}, :line), 10000)
WHERE id = :id AND claim = :claim AND closed IS NULL
