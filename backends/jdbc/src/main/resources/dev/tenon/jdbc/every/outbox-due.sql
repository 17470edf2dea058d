-- What is due, locked; what another process is just claiming is passed over. The clock is read once, so that the index
-- takes the comparison.
SELECT id, outbox, claim, attempts, created_at, message_id, target, message_key, message_type, headers, body, history, lane
FROM tenon_outbox WHERE outbox = :outbox AND due_at <= (SELECT {clock})
ORDER BY due_at, id LIMIT :limit FOR UPDATE SKIP LOCKED
