-- Here the last number of a sequence that was given out has had its name from the beginning (001-tables.sql): the one of before is a
-- reserved word of MySQL, so no version made that table. This has the number that the others have.

INSERT INTO tenon_schema (version) VALUES (11) ON DUPLICATE KEY UPDATE version = version;
