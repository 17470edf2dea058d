-- One message.
SELECT id, outbox, claim, attempts, created_at, message_id, target, message_key, message_type, headers, body, history
FROM tenon_outbox WHERE id = :id AND outbox = :outbox
