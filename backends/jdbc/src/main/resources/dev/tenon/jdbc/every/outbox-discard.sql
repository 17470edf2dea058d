-- Gives a dead letter up.
UPDATE tenon_outbox SET lane = NULL, closed = 'discarded', ended_at = {clock}, failing_since = NULL,
  history = RIGHT(CONCAT(history, {clock}, :line), 10000)
WHERE id = :id AND outbox = :outbox AND closed = 'dead'
