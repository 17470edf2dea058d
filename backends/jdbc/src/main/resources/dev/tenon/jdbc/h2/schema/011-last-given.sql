-- The last number of a sequence that was given out has another name: the old one is a reserved word of MySQL. Every statement can be
-- run again; whoever comes second finds it renamed, as this takes the table for itself. Processes of before this have errors until they
-- are replaced, and give no number out twice.
ALTER TABLE tenon_range ALTER COLUMN IF EXISTS last_value RENAME TO last_given;

-- Comes last: whoever sees it sees all of the above.
MERGE INTO tenon_schema (version) KEY (version) VALUES (11);
