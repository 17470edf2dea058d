-- Which tokens the resources of the user have seen (JdbcFence). Every statement can be run again.

-- One resource a row, never deleted by Tenon; token: the greatest that a committed transaction has shown, and it only grows.
CREATE TABLE IF NOT EXISTS tenon_fence_guard (
  resource VARCHAR(200) NOT NULL PRIMARY KEY,
  token    BIGINT NOT NULL
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

-- Comes last: whoever sees it sees all of the above.
INSERT INTO tenon_schema (version) VALUES (4) ON DUPLICATE KEY UPDATE version = version;
