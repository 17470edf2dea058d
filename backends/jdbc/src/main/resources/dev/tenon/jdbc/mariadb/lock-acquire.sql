-- Takes a free lock, or a place at the end of its queue, in one round trip; the caller reads the answer off the row.
-- Assignments run from left to right. The first one decides what this is, and every other follows it:
-- @tenon_step is 1 to take the lock, 2 to queue, and 0 to leave the row as it is (taken, repeated; or a waiter is to be
-- promoted, or there is more in the row than plain exclusive holding, which is left to the state machine); a row that stays as it is costs no flush.
-- A text from the application has the collation of its connection, which MariaDB 11 does not compare with a column's: LOCATE is told which.
INSERT INTO tenon_lock (name, token, version, holder_request, holder_session, holder_owner, held_since, held_until,
                        waited, handed_to, touched_at, waiters)
SELECT :name, GREATEST(n.now_at, n.fence + {stride}), 1, :request, :session, :owner, n.now_at, n.now_at + :lease,
       0, NULL, n.now_at, ''
FROM (SELECT {clock} AS now_at, (SELECT MAX(token) FROM tenon_fence) AS fence) n
ON DUPLICATE KEY UPDATE
  touched_at = IF((@tenon_step := CASE
      WHEN more <> '' THEN 0
      WHEN waiters = '' AND (holder_request IS NULL OR held_until <= GREATEST(VALUES(touched_at), touched_at)) THEN 1
      WHEN :wait > 0 AND holder_request <> :request AND held_until > GREATEST(VALUES(touched_at), touched_at)
           AND LOCATE(CONCAT(CHAR(10 USING utf8mb4), :request, CHAR(9 USING utf8mb4)) COLLATE utf8mb4_nopad_bin,
                      CONCAT(CHAR(10 USING utf8mb4), waiters)) = 0 THEN 2
      ELSE 0 END) > 0, GREATEST(VALUES(touched_at), touched_at), touched_at),
  token = IF(@tenon_step = 1, GREATEST(touched_at, token + {stride}), token),
  version = IF(@tenon_step > 0, version + 1, version),
  holder_request = IF(@tenon_step = 1, VALUES(holder_request), holder_request),
  holder_session = IF(@tenon_step = 1, VALUES(holder_session), holder_session),
  holder_owner = IF(@tenon_step = 1, VALUES(holder_owner), holder_owner),
  held_since = IF(@tenon_step = 1, touched_at, held_since),
  held_until = IF(@tenon_step = 1, touched_at + :lease, held_until),
  waited = IF(@tenon_step = 1, 0, waited),
  handed_to = IF(@tenon_step = 1, NULL, handed_to),
  waiters = IF(@tenon_step = 2, CONCAT(waiters, :request, CHAR(9 USING utf8mb4), :session, CHAR(9 USING utf8mb4), :owner, CHAR(9 USING utf8mb4), :lease, CHAR(9 USING utf8mb4),
                                       touched_at, CHAR(9 USING utf8mb4), touched_at + :wait, CHAR(10 USING utf8mb4)), waiters)
RETURNING name, token, version, holder_request, holder_session, holder_owner, held_since, held_until, waited,
          handed_to, touched_at, waiters, more, GREATEST({clock}, touched_at) AS now_at, 0 AS fence
