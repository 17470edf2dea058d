-- For how long the message that has waited longest has been due.
SELECT {clock} - due_at FROM tenon_outbox WHERE outbox = :outbox AND due_at <= (SELECT {clock})
ORDER BY due_at LIMIT 1
