-- Tenon's tables for MySQL. Every statement can be run again. Times are microseconds since 1970-01-01T00:00:00Z
-- by the clock of this server, those of workers milliseconds.

-- One lock a row, while it is held or waited for and for about a minute after that.
-- waiters: the queue, the next one first, a line for each: request, session, owner, lease, queued at, waits until;
-- separated by tabs. A session is written as the process to tell, a space, and its ID. handed_to is set
-- from a hand-over until the new holder has claimed it.
CREATE TABLE IF NOT EXISTS tenon_lock (
  name           VARCHAR(200) NOT NULL PRIMARY KEY,
  token          BIGINT NOT NULL,
  version        BIGINT NOT NULL,
  holder_request VARCHAR(200),
  holder_session VARCHAR(240),
  holder_owner   VARCHAR(200),
  held_since     BIGINT NOT NULL,
  held_until     BIGINT NOT NULL,
  waited         BIGINT NOT NULL,
  handed_to      VARCHAR(32),
  touched_at     BIGINT NOT NULL,
  waiters        LONGTEXT NOT NULL,
  KEY tenon_lock_handed_to (handed_to)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin;

-- One row: no token of a lock that has no row is greater.
CREATE TABLE IF NOT EXISTS tenon_fence (
  id    INT NOT NULL PRIMARY KEY,
  token BIGINT NOT NULL
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin;
INSERT INTO tenon_fence (id, token) VALUES (1, 0) ON DUPLICATE KEY UPDATE token = token;

-- One sequence of numbers a row. last_given: the last one given out, given: how many the last call got.
CREATE TABLE IF NOT EXISTS tenon_range (
  name        VARCHAR(200) NOT NULL PRIMARY KEY,
  start_value BIGINT NOT NULL,
  step_size   BIGINT NOT NULL,
  max_value   BIGINT NOT NULL,
  last_given  BIGINT NOT NULL,
  given       BIGINT NOT NULL
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin;

-- Groups of worker IDs, and every slot that was ever claimed.
CREATE TABLE IF NOT EXISTS tenon_worker_group (
  name     VARCHAR(200) NOT NULL PRIMARY KEY,
  layout   VARCHAR(200) NOT NULL,
  capacity INT NOT NULL
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin;
CREATE TABLE IF NOT EXISTS tenon_worker (
  group_name VARCHAR(200) NOT NULL,
  worker_id  INT NOT NULL,
  claim      BIGINT NOT NULL,
  request    VARCHAR(200),
  owner      VARCHAR(200) NOT NULL,
  since      BIGINT NOT NULL,
  lease_end  BIGINT NOT NULL,
  floor_at   BIGINT NOT NULL,
  fence_at   BIGINT NOT NULL,
  PRIMARY KEY (group_name, worker_id),
  UNIQUE (group_name, request)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin;

-- One process a row that waits for locks: its bell, which it keeps locked while it listens.
CREATE TABLE IF NOT EXISTS tenon_bell (
  channel    VARCHAR(32) NOT NULL PRIMARY KEY,
  touched_at BIGINT NOT NULL
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin;

-- Comes last: whoever sees it sees all of the above.
CREATE TABLE IF NOT EXISTS tenon_schema (version INT NOT NULL PRIMARY KEY) ENGINE = InnoDB;
INSERT INTO tenon_schema (version) VALUES (1) ON DUPLICATE KEY UPDATE version = version;
