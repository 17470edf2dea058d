-- A message that was sent.
DELETE FROM tenon_outbox WHERE id = :id AND claim = :claim AND closed IS NULL
