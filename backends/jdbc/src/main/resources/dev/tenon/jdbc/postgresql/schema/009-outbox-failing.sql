-- Which messages are failing, and since when. Every statement can be run again. Rows that are there stay as they are.

-- failing_since: when the first attempt was known to have failed, until the message is sent, discarded or replayed; none for one
-- that never did.
ALTER TABLE tenon_outbox ADD COLUMN IF NOT EXISTS failing_since BIGINT;
CREATE INDEX IF NOT EXISTS tenon_outbox_failing ON tenon_outbox (outbox, failing_since, id) WHERE failing_since IS NOT NULL;

-- Comes last: whoever sees it sees all of the above.
INSERT INTO tenon_schema (version) VALUES (9) ON CONFLICT DO NOTHING;
