-- Writes what the state machine made of the row, unless somebody has written it since it was read.
-- The versions of a row that was swept and begun again start anew, but not its tokens (fence-raise.sql): so both must be as they were.
UPDATE tenon_lock
SET token = :token, version = version + 1, holder_request = :holderRequest, holder_session = :holderSession,
    holder_owner = :holderOwner, held_since = :heldSince, held_until = :heldUntil, waited = :waited,
    handed_to = :handedTo, touched_at = :now, waiters = :waiters, more = :more
WHERE name = :name AND version = :version AND token = :before
