-- The log of transactions, and the barrier of participants. Every statement can be run again. Times are microseconds since 1970-01-01T00:00:00Z by the clock of
-- this server.

-- One transaction a row, from its beginning until its retention is over after its end.
-- state: ACTIVE, COMMITTING, COMMITTED, ABORTING, ABORTED. version: goes up with each write, epoch: with each claim.
-- owner: the process that drives it until due_at. claim_at: due_at, but NULL where recovery has nothing to do: it has ended, or
-- waits for an operator (suspended says why). retry: first pause, factor, longest pause, number of calls.
CREATE TABLE IF NOT EXISTS tenon_tx (
  gid         VARCHAR(128) NOT NULL PRIMARY KEY,
  kind        VARCHAR(20) NOT NULL,
  service     VARCHAR(200) NOT NULL,
  name        VARCHAR(1000) NOT NULL,
  state       VARCHAR(20) NOT NULL,
  suspended   VARCHAR(1000),
  version     BIGINT NOT NULL,
  epoch       BIGINT NOT NULL,
  owner       VARCHAR(200),
  created_at  BIGINT NOT NULL,
  deadline_at BIGINT NOT NULL,
  due_at      BIGINT NOT NULL,
  claim_at    BIGINT,
  ended_at    BIGINT,
  parent      VARCHAR(128),
  retry       VARCHAR(200) NOT NULL,
  digest      VARCHAR(64) NOT NULL,
  payload     VARCHAR(1048576) NOT NULL,
  -- As in 008, which adds them to tables that were made before: H2 adds a column by making the table anew.
  failing_since BIGINT,
  stuck_at      BIGINT
);
CREATE INDEX IF NOT EXISTS tenon_tx_claim ON tenon_tx (service, claim_at);
CREATE INDEX IF NOT EXISTS tenon_tx_ended ON tenon_tx (ended_at);
CREATE INDEX IF NOT EXISTS tenon_tx_suspended ON tenon_tx (suspended);

-- One branch a row, in their order from 0 on. state: PLANNED, CALLED, DONE, REFUSED, CONFIRMED, UNDONE, STUCK.
-- after_branches: the names of those that it builds on, one a line. targets: whom each operation is for, one a line.
-- attempts: calls of the operation that is due; due_at: not before then; NULL: at once. A line break within a line is written \n, a backslash \\.
CREATE TABLE IF NOT EXISTS tenon_tx_branch (
  gid            VARCHAR(128) NOT NULL,
  position       INT NOT NULL,
  name           VARCHAR(200) NOT NULL,
  state          VARCHAR(20) NOT NULL,
  attempts       INT NOT NULL,
  due_at         BIGINT,
  result         VARCHAR(1048576),
  last_error     VARCHAR(1000),
  pivot          INT NOT NULL,
  after_branches VARCHAR(1048576) NOT NULL,
  targets        VARCHAR(1048576) NOT NULL,
  payload        VARCHAR(1048576) NOT NULL,
  PRIMARY KEY (gid, position)
);

-- What operators did, and what kept a transaction from going on; version: that of the write that wrote it.
CREATE TABLE IF NOT EXISTS tenon_tx_event (
  gid         VARCHAR(128) NOT NULL,
  version     BIGINT NOT NULL,
  position    INT NOT NULL,
  happened_at BIGINT NOT NULL,
  what        VARCHAR(1048576) NOT NULL,
  actor       VARCHAR(1048576) NOT NULL,
  detail      VARCHAR(1048576) NOT NULL,
  PRIMARY KEY (gid, version, position)
);

-- The barrier: one call a row that was let through, or that never will be, in the participant's own transaction.
-- written_by: the operation itself, or the one that undid it before it was done. repeats: how often it was called again.
CREATE TABLE IF NOT EXISTS tenon_barrier (
  gid        VARCHAR(128) NOT NULL,
  branch     VARCHAR(200) NOT NULL,
  operation  VARCHAR(20) NOT NULL,
  written_by VARCHAR(20) NOT NULL,
  written_at BIGINT NOT NULL,
  repeats    INT NOT NULL,
  result     VARCHAR(1048576) NOT NULL,
  PRIMARY KEY (gid, branch, operation)
);
CREATE INDEX IF NOT EXISTS tenon_barrier_written ON tenon_barrier (written_at);

-- Comes last: whoever sees it sees all of the above.
MERGE INTO tenon_schema (version) KEY (version) VALUES (5);
