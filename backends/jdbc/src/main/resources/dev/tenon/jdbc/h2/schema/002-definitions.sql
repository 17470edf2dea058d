-- Where ID definitions are kept. Every statement can be run again.

-- One definition a row, never changed. Keys with slashes are the server's own; text: JSON, 1 to 10 000 characters.
CREATE TABLE IF NOT EXISTS tenon_definition (
  name       VARCHAR(200) NOT NULL PRIMARY KEY,
  definition VARCHAR(10000) NOT NULL
);

-- Comes last: whoever sees it sees all of the above.
MERGE INTO tenon_schema (version) KEY (version) VALUES (2);
