-- When the groups of worker IDs last looked at whether the database may have forgotten. Every statement can be run again. Rows
-- that are there count as written in another incarnation: what follows them waits once for the leases of before.

-- incarnation: of the database, when the group was last written in a claim. settled_at: from when on worker IDs are given
-- (milliseconds). longest_lease: that was ever asked for (microseconds).
SET @tenon_add = IF(EXISTS (SELECT 1 FROM information_schema.columns WHERE table_schema = DATABASE()
  AND table_name = 'tenon_worker_group' AND column_name = 'incarnation'),
  'DO 0', 'ALTER TABLE tenon_worker_group ADD COLUMN incarnation VARCHAR(200) DEFAULT '''' NOT NULL, ADD COLUMN settled_at BIGINT DEFAULT 0 NOT NULL, ADD COLUMN longest_lease BIGINT DEFAULT 0 NOT NULL');
PREPARE tenon_add FROM @tenon_add;
EXECUTE tenon_add;
DEALLOCATE PREPARE tenon_add;

-- Comes last: whoever sees it sees all of the above.
INSERT INTO tenon_schema (version) VALUES (10) ON DUPLICATE KEY UPDATE version = version;
