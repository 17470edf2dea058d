-- What the example sells: run on each connection of the pool, so it changes nothing that is there.
CREATE TABLE IF NOT EXISTS stock (item VARCHAR(50) PRIMARY KEY, number INT NOT NULL, token BIGINT NOT NULL);
CREATE TABLE IF NOT EXISTS orders (id BIGINT PRIMARY KEY, customer VARCHAR(50) NOT NULL, item VARCHAR(50) NOT NULL);
CREATE TABLE IF NOT EXISTS points (customer VARCHAR(50) PRIMARY KEY, number INT NOT NULL);
INSERT INTO stock SELECT 'chair', 20, 0 WHERE NOT EXISTS (SELECT 1 FROM stock WHERE item = 'chair');
