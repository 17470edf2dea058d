-- Begins a row; fails on its key if somebody else has begun it.
INSERT INTO tenon_lock (name, token, version, holder_request, holder_session, holder_owner, held_since, held_until,
                        waited, handed_to, touched_at, waiters, more)
VALUES (:name, :token, 1, :holderRequest, :holderSession, :holderOwner, :heldSince, :heldUntil,
        :waited, :handedTo, :now, :waiters, :more)
