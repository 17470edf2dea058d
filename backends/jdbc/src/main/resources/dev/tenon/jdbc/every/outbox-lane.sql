-- The first messages of a lane.
SELECT id FROM tenon_outbox WHERE lane = :lane ORDER BY id LIMIT 100
