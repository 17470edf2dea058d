-- How many messages a lane has, counted up to a limit.
SELECT COUNT(*) FROM (SELECT id FROM tenon_outbox WHERE lane = :lane LIMIT :limit) l
