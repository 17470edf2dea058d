-- Keeps a definition unless its name has one, and tells the one that the name has now.
--
-- KEYS[1] definitions  hash: name to text
-- ARGV[1] name, ARGV[2] text
redis.call('HSETNX', KEYS[1], ARGV[1], ARGV[2])
return { redis.call('HGET', KEYS[1], ARGV[1]) }
