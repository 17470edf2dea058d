-- What a lock has beside a plain exclusive holder and plain waiters. Every statement can be run again. Rows that are there
-- stay as they are.

-- more: empty for a plain row, which the other columns say everything of; else every holder, a line each: H, request,
-- session, owner, token, since, until, mode, lock-delay, how long it was queued, whether it has not claimed yet (1), who
-- wants the lock back; and D with the end of a lock-delay; separated by tabs. Modes: X, S, U, P with permits and their
-- number. holder_... then show the first holder, held_until is the end of the last. Waiters for other than plain exclusivity
-- have three fields more: mode, lock-delay, the token of the hold that is to be replaced.
ALTER TABLE tenon_lock ADD COLUMN IF NOT EXISTS more LONGTEXT NOT NULL DEFAULT '';

-- Comes last: whoever sees it sees all of the above.
INSERT INTO tenon_schema (version) VALUES (3) ON DUPLICATE KEY UPDATE version = version;
