-- Messages that were sent, or discarded, long ago.
SELECT id FROM tenon_outbox
WHERE outbox = :outbox AND closed = :closed AND ended_at <= (SELECT {clock}) - :age ORDER BY ended_at LIMIT :limit
