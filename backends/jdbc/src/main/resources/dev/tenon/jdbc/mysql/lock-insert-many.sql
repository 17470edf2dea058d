-- As lock-insert.sql, for many rows in one round trip: an array of objects, in JSON. Fails on the key of one that somebody has begun.
INSERT INTO tenon_lock (name, token, version, holder_request, holder_session, holder_owner, held_since, held_until,
                        waited, handed_to, touched_at, waiters, more)
SELECT r.name, r.token, 1, r.holder_request, r.holder_session, r.holder_owner, r.held_since, r.held_until, r.waited, r.handed_to, r.now_at,
       r.waiters, r.more
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
  name VARCHAR(1000) CHARACTER SET utf8mb4 PATH '$.name', token BIGINT PATH '$.token', holder_request VARCHAR(1000) CHARACTER SET utf8mb4 PATH '$.holderRequest',
  holder_session VARCHAR(1000) CHARACTER SET utf8mb4 PATH '$.holderSession', holder_owner VARCHAR(1000) CHARACTER SET utf8mb4 PATH '$.holderOwner', held_since BIGINT PATH '$.heldSince',
  held_until BIGINT PATH '$.heldUntil', waited BIGINT PATH '$.waited', handed_to VARCHAR(1000) CHARACTER SET utf8mb4 PATH '$.handedTo', now_at BIGINT PATH '$.now',
  waiters LONGTEXT CHARACTER SET utf8mb4 PATH '$.waiters', more LONGTEXT CHARACTER SET utf8mb4 PATH '$.more')) r
