-- What is due, locked; what another process is just claiming is passed over. It is found without a lock and then locked by its
-- key: a range would have this server lock what stands behind its end, too, which is another outbox's message, and nobody would
-- find that one before this claim is committed. It looks further than it takes, as others may be at what is first. The clock is
-- read once, so that the index takes the comparison.
SELECT STRAIGHT_JOIN o.id, o.outbox, o.claim, o.attempts, o.created_at, o.message_id, o.target, o.message_key, o.message_type,
       o.headers, o.body, o.history, o.lane
FROM (SELECT id FROM tenon_outbox WHERE outbox = :outbox AND due_at <= (SELECT {clock}) ORDER BY due_at, id LIMIT :look) d
JOIN tenon_outbox o FORCE INDEX (PRIMARY) ON o.id = d.id
WHERE o.outbox = :outbox AND o.due_at <= (SELECT {clock})
LIMIT :limit FOR UPDATE SKIP LOCKED
