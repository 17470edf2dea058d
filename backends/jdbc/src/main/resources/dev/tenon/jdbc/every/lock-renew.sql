-- Extends a lease, unless it is over, or the row is one for the state machine. The first renewal after a hand-over claims
-- the lock.
UPDATE tenon_lock
SET held_until = {clock} + :lease, version = version + 1, handed_to = NULL
WHERE name = :name AND token = :token AND holder_request IS NOT NULL AND held_until > {clock}
  AND touched_at <= {clock} AND more = ''
