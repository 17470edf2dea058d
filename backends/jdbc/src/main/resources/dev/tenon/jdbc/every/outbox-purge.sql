-- Deletes a message.
DELETE FROM tenon_outbox WHERE id = :id AND closed IN ('sent', 'discarded')
