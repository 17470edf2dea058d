-- Messages that fail again and again, or are dead and hold back their lane: the first of each lane, those that began to fail first. Of
-- those that are failing it looks at a thousand, which is all that are stuck by their age, up to that.
SELECT o.id, o.claim, o.attempts, o.created_at, o.message_id, o.target, o.message_key, o.message_type, o.headers, o.body, o.history,
  o.lane, o.closed, o.failing_since, {clock} - o.failing_since AS age
FROM (SELECT id FROM tenon_outbox
  WHERE outbox = :outbox AND failing_since >= :since AND (failing_since > :since OR id > :after) AND behind = 0
  ORDER BY failing_since, id LIMIT 1000) f
JOIN tenon_outbox o ON o.id = f.id
WHERE (o.closed IS NULL AND (o.attempts >= :attempts OR o.failing_since <= (SELECT {clock}) - :age)
    OR o.closed = 'dead' AND o.lane IS NOT NULL)
  AND (o.lane IS NULL OR o.id = (SELECT l.id FROM tenon_outbox l WHERE l.lane = o.lane ORDER BY l.id LIMIT 1))
ORDER BY o.failing_since, o.id LIMIT :limit
