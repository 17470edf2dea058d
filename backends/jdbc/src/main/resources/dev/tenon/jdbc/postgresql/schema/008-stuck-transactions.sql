-- Which transactions do not get on, and a listing that begins with the newest. Every statement can be run again. Rows that are there stay
-- as they are.

-- failing_since: when a call had to be made again for the first time, while one waits for its next attempt; stuck_at: when that was
-- reported. state may be CLOSED, too: an operator has given the transaction up as it is, and suspended says who and why.
ALTER TABLE tenon_tx ADD COLUMN IF NOT EXISTS failing_since BIGINT;
ALTER TABLE tenon_tx ADD COLUMN IF NOT EXISTS stuck_at BIGINT;
CREATE INDEX IF NOT EXISTS tenon_tx_stuck ON tenon_tx (created_at, gid) WHERE suspended IS NOT NULL OR stuck_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS tenon_tx_created ON tenon_tx (created_at, gid);

-- Comes last: whoever sees it sees all of the above.
INSERT INTO tenon_schema (version) VALUES (8) ON CONFLICT DO NOTHING;
