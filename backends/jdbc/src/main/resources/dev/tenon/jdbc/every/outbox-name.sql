-- The next outbox that has messages, by its name.
SELECT outbox FROM tenon_outbox WHERE outbox > :after ORDER BY outbox LIMIT 1
