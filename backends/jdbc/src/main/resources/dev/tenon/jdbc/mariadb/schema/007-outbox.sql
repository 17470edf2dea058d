-- The local message table (dev.tenon.tx.spi.OutboxStore). Every statement can be run again. Times are microseconds since
-- 1970-01-01T00:00:00Z by the clock of this server.

-- One message a row. lane: a hash of outbox, target and key while the message is neither sent nor discarded; none without a
-- key. due_at: when it may be claimed; far ahead for one that is behind another one of its lane, none for one that is closed.
-- behind: 1 if the end of another message makes it due. claim: how often it was claimed. closed: 'sent', 'dead' or
-- 'discarded', at ended_at. history: a line for each event: time, what, by whom, detail, separated by tabs.
CREATE TABLE IF NOT EXISTS tenon_outbox (
  id           BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  outbox       VARCHAR(200) NOT NULL,
  lane         VARCHAR(32),
  due_at       BIGINT,
  behind       SMALLINT NOT NULL,
  claim        BIGINT NOT NULL,
  attempts     INT NOT NULL,
  closed       VARCHAR(10),
  ended_at     BIGINT,
  created_at   BIGINT NOT NULL,
  message_id   VARCHAR(200) NOT NULL,
  target       VARCHAR(200) NOT NULL,
  message_key  VARCHAR(200),
  message_type VARCHAR(200) NOT NULL,
  headers      MEDIUMTEXT NOT NULL,
  body         MEDIUMBLOB NOT NULL,
  history      MEDIUMTEXT NOT NULL,
  KEY tenon_outbox_due (outbox, due_at, id),
  KEY tenon_outbox_lane (lane, id),
  KEY tenon_outbox_closed (outbox, closed, ended_at)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

-- Comes last: whoever sees it sees all of the above.
INSERT INTO tenon_schema (version) VALUES (7) ON DUPLICATE KEY UPDATE version = version;
