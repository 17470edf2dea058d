-- How an outbox is: for how long its messages have been due, how many are to be sent, how many are dead, since when. What is
-- counted is counted up to a limit, in the order of an index, so that no planner takes the whole table for it.
SELECT {clock} - (SELECT MIN(due_at) FROM tenon_outbox WHERE outbox = :outbox) AS late,
  (SELECT COUNT(*) FROM (SELECT id FROM tenon_outbox WHERE outbox = :outbox AND due_at > 0 ORDER BY due_at LIMIT :limit) w) AS waiting,
  (SELECT COUNT(*) FROM (SELECT id FROM tenon_outbox WHERE outbox = :outbox AND closed = 'dead' ORDER BY ended_at LIMIT :limit) d) AS dead,
  (SELECT MIN(ended_at) FROM tenon_outbox WHERE outbox = :outbox AND closed = 'dead') AS died
