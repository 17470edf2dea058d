-- Dead letters.
SELECT id, outbox, claim, attempts, created_at, message_id, target, message_key, message_type, headers, body, history
FROM tenon_outbox WHERE outbox = :outbox AND closed = 'dead' AND id > :after ORDER BY id LIMIT :limit
