-- Which transactions do not get on, and a listing that begins with the newest. Every statement can be run again. Rows that are there stay
-- as they are.

-- failing_since: when a call had to be made again for the first time, while one waits for its next attempt; stuck_at: when that was
-- reported. state may be CLOSED, too: an operator has given the transaction up as it is, and suspended says who and why.
SET @tenon_add = IF(EXISTS (SELECT 1 FROM information_schema.columns WHERE table_schema = DATABASE()
  AND table_name = 'tenon_tx' AND column_name = 'failing_since'),
  'DO 0', 'ALTER TABLE tenon_tx ADD COLUMN failing_since BIGINT');
PREPARE tenon_add FROM @tenon_add;
EXECUTE tenon_add;
DEALLOCATE PREPARE tenon_add;
SET @tenon_add = IF(EXISTS (SELECT 1 FROM information_schema.columns WHERE table_schema = DATABASE()
  AND table_name = 'tenon_tx' AND column_name = 'stuck_at'),
  'DO 0', 'ALTER TABLE tenon_tx ADD COLUMN stuck_at BIGINT');
PREPARE tenon_add FROM @tenon_add;
EXECUTE tenon_add;
DEALLOCATE PREPARE tenon_add;
SET @tenon_add = IF(EXISTS (SELECT 1 FROM information_schema.statistics WHERE table_schema = DATABASE()
  AND table_name = 'tenon_tx' AND index_name = 'tenon_tx_stuck'),
  'DO 0', 'ALTER TABLE tenon_tx ADD INDEX tenon_tx_stuck (stuck_at)');
PREPARE tenon_add FROM @tenon_add;
EXECUTE tenon_add;
DEALLOCATE PREPARE tenon_add;
SET @tenon_add = IF(EXISTS (SELECT 1 FROM information_schema.statistics WHERE table_schema = DATABASE()
  AND table_name = 'tenon_tx' AND index_name = 'tenon_tx_created'),
  'DO 0', 'ALTER TABLE tenon_tx ADD INDEX tenon_tx_created (created_at, gid)');
PREPARE tenon_add FROM @tenon_add;
EXECUTE tenon_add;
DEALLOCATE PREPARE tenon_add;

-- Comes last: whoever sees it sees all of the above.
INSERT INTO tenon_schema (version) VALUES (8) ON DUPLICATE KEY UPDATE version = version;
