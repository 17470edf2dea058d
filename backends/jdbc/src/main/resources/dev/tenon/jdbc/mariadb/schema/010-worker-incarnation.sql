-- When the groups of worker IDs last looked at whether the database may have forgotten. Every statement can be run again. Rows
-- that are there count as written in another incarnation: what follows them waits once for the leases of before.

-- incarnation: of the database, when the group was last written in a claim. settled_at: from when on worker IDs are given
-- (milliseconds). longest_lease: that was ever asked for (microseconds).
ALTER TABLE tenon_worker_group ADD COLUMN IF NOT EXISTS incarnation VARCHAR(200) DEFAULT '' NOT NULL;
ALTER TABLE tenon_worker_group ADD COLUMN IF NOT EXISTS settled_at BIGINT DEFAULT 0 NOT NULL;
ALTER TABLE tenon_worker_group ADD COLUMN IF NOT EXISTS longest_lease BIGINT DEFAULT 0 NOT NULL;

-- Comes last: whoever sees it sees all of the above.
INSERT INTO tenon_schema (version) VALUES (10) ON DUPLICATE KEY UPDATE version = version;
