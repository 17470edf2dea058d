-- Which tokens the resources of the user have seen (JdbcFence). Every statement can be run again.

-- One resource a row, never deleted by Tenon; token: the greatest that a committed transaction has shown, and it only grows.
CREATE TABLE IF NOT EXISTS tenon_fence_guard (
  resource VARCHAR(200) NOT NULL PRIMARY KEY,
  token    BIGINT NOT NULL
);

-- Comes last: whoever sees it sees all of the above.
MERGE INTO tenon_schema (version) KEY (version) VALUES (4);
