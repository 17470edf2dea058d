-- A message that has to be tried again, with the reason in its history.
UPDATE tenon_outbox SET due_at = {clock} + :pause, attempts = attempts - :uncounted, failing_since = COALESCE(failing_since, {clock}),
  history = RIGHT(CONCAT(history, {clock}, :line), 10000)
WHERE id = :id AND claim = :claim AND closed IS NULL
