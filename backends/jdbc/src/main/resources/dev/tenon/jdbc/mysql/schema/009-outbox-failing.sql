-- Which messages are failing, and since when. Every statement can be run again. Rows that are there stay as they are.

-- failing_since: when the first attempt was known to have failed, until the message is sent, discarded or replayed; none for one
-- that never did.
SET @tenon_add = IF(EXISTS (SELECT 1 FROM information_schema.columns WHERE table_schema = DATABASE()
  AND table_name = 'tenon_outbox' AND column_name = 'failing_since'),
  'DO 0', 'ALTER TABLE tenon_outbox ADD COLUMN failing_since BIGINT, ADD INDEX tenon_outbox_failing (outbox, failing_since, id)');
PREPARE tenon_add FROM @tenon_add;
EXECUTE tenon_add;
DEALLOCATE PREPARE tenon_add;

-- Comes last: whoever sees it sees all of the above.
INSERT INTO tenon_schema (version) VALUES (9) ON DUPLICATE KEY UPDATE version = version;
