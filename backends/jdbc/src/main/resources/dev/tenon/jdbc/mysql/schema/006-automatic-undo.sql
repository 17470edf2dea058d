-- Transactions with automatic undo (AT). Every statement can be run again.

-- Which row belongs to a transaction that has not ended. row_key: SHA-256 of table and primary key; about: the same for a person.
CREATE TABLE IF NOT EXISTS tenon_row_lock (
  row_key VARCHAR(64) NOT NULL PRIMARY KEY,
  gid     VARCHAR(128) NOT NULL,
  branch  VARCHAR(200) NOT NULL,
  about   VARCHAR(200) NOT NULL,
  INDEX tenon_row_lock_branch (gid, branch)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin;

-- What each statement of a branch did: insert, update or delete, and the rows before and after it, as texts.
CREATE TABLE IF NOT EXISTS tenon_undo (
  gid         VARCHAR(128) NOT NULL,
  branch      VARCHAR(200) NOT NULL,
  number      BIGINT NOT NULL,
  kind        VARCHAR(10) NOT NULL,
  table_name  VARCHAR(200) NOT NULL,
  before_rows LONGTEXT NOT NULL,
  after_rows  LONGTEXT NOT NULL,
  PRIMARY KEY (gid, branch, number)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin;

-- Comes last: whoever sees it sees all of the above.
INSERT INTO tenon_schema (version) VALUES (6) ON DUPLICATE KEY UPDATE version = version;
