-- The last number of a sequence that was given out has another name: the old one is a reserved word of MySQL. Every statement can be
-- run again; whoever comes second finds it renamed, as this takes the table for itself. Processes of before this have errors until they
-- are replaced, and give no number out twice.
DO $$ BEGIN LOCK TABLE tenon_range; IF EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = 'tenon_range'::regclass AND attname = 'last_value' AND NOT attisdropped) THEN ALTER TABLE tenon_range RENAME COLUMN last_value TO last_given; END IF; END $$;

-- Comes last: whoever sees it sees all of the above.
INSERT INTO tenon_schema (version) VALUES (11) ON CONFLICT DO NOTHING;
