-- The table of the ID-builder service, as its users have it. Not one of Tenon's own: made only when asked for.
-- id: the code. current_threshold: where the next segment begins. step: how long it is. biz_code: what texts begin with.
-- is_seq: 0 contiguous, 1 not.
CREATE TABLE IF NOT EXISTS t_id_builder_config (
  id                INT NOT NULL AUTO_INCREMENT,
  des               VARCHAR(255) DEFAULT NULL,
  init_num          BIGINT DEFAULT NULL,
  current_threshold BIGINT DEFAULT NULL,
  step              INT DEFAULT NULL,
  biz_code          VARCHAR(60) DEFAULT NULL,
  version           INT NOT NULL DEFAULT 0,
  is_seq            SMALLINT NOT NULL DEFAULT 0,
  create_time       DATETIME DEFAULT CURRENT_TIMESTAMP,
  update_time       DATETIME DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
  PRIMARY KEY (id)
) ENGINE = InnoDB CHARACTER SET utf8mb4;
