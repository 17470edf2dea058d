-- Where ID definitions are kept. Every statement can be run again.

-- One definition a row, never changed. Keys with slashes are the server's own; text: JSON, 1 to 10 000 characters.
CREATE TABLE IF NOT EXISTS tenon_definition (
  name       VARCHAR(200) NOT NULL PRIMARY KEY,
  definition TEXT NOT NULL
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

-- Comes last: whoever sees it sees all of the above.
INSERT INTO tenon_schema (version) VALUES (2) ON DUPLICATE KEY UPDATE version = version;
