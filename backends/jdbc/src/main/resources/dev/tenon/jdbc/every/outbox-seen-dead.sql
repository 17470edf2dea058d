-- Dead letters, those that died first first.
SELECT id, lane, target FROM tenon_outbox WHERE outbox = :outbox AND closed = 'dead' ORDER BY ended_at LIMIT :limit
