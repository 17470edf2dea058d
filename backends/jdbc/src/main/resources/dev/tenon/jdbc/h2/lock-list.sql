-- A page of locks by name, free ones included: the caller drops those. H2 orders text by UTF-16 units, and names are
-- ordered by code points, as their UTF-8 bytes are.
SELECT l.name, l.token, l.version, l.holder_request, l.holder_session, l.holder_owner, l.held_since,
       l.held_until, l.waited, l.handed_to, l.touched_at, l.waiters, l.more, {clock} AS now_at, 0 AS fence
FROM tenon_lock l
WHERE CAST(l.name AS VARBINARY) >= CAST(:prefix AS VARBINARY) AND CAST(l.name AS VARBINARY) > CAST(:after AS VARBINARY)
ORDER BY CAST(l.name AS VARBINARY)
LIMIT :count
