-- The two lock tables that the field writes by hand (docs/locks/recipes.md tells how they are used, and what goes wrong with
-- them). Tenon itself uses neither: JdbcLockStore does all of it right, in its own table tenon_lock. Kept for those who
-- have such a table, or have to explain one.

-- One row is one lock that is taken: insert to lock, delete to unlock.
-- tag::plain[]
CREATE TABLE IF NOT EXISTS method_lock (
  id          BIGINT AUTO_INCREMENT PRIMARY KEY,
  method_name VARCHAR(64) NOT NULL UNIQUE,
  `desc`      VARCHAR(255),
  update_time DATETIME(3) NOT NULL
) ENGINE = InnoDB;
-- end::plain[]

-- The fuller one: who has it (node_info), how often (count), until when, and a version against two who take it over at once.
-- tag::full[]
CREATE TABLE IF NOT EXISTS resource_lock (
  id            BIGINT AUTO_INCREMENT PRIMARY KEY,
  resource_name VARCHAR(64) NOT NULL UNIQUE,
  node_info     VARCHAR(255) NOT NULL,
  count         INT NOT NULL,
  `desc`        VARCHAR(255),
  create_time   DATETIME(3) NOT NULL,
  update_time   DATETIME(3) NOT NULL,
  expire_time   DATETIME(3) NOT NULL,
  version       INT NOT NULL
) ENGINE = InnoDB;
-- end::full[]
