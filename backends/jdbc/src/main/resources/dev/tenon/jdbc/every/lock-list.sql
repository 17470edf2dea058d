-- A page of locks by name, free ones included: the caller drops those.
SELECT l.name, l.token, l.version, l.holder_request, l.holder_session, l.holder_owner, l.held_since,
       l.held_until, l.waited, l.handed_to, l.touched_at, l.waiters, l.more, {clock} AS now_at, 0 AS fence
FROM tenon_lock l
WHERE l.name >= :prefix AND l.name > :after
ORDER BY l.name
LIMIT :count
