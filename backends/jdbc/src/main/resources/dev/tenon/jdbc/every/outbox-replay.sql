-- Lets a dead letter live.
UPDATE tenon_outbox SET due_at = {clock}, closed = NULL, ended_at = NULL, attempts = 0, failing_since = NULL,
  history = RIGHT(CONCAT(history, {clock}, :line), 10000)
WHERE id = :id AND outbox = :outbox AND closed = 'dead'
