-- Locks that nobody has touched for a while, and that are free or held by somebody whose lease is long over.
SELECT l.name, l.token, l.version, l.holder_request, l.holder_session, l.holder_owner, l.held_since,
       l.held_until, l.waited, l.handed_to, l.touched_at, l.waiters, l.more, {clock} AS now_at, 0 AS fence
FROM tenon_lock l
WHERE l.touched_at < {clock} - :idle AND (l.holder_request IS NULL OR l.held_until < {clock} - :idle)
LIMIT 1000
