-- Tells a definition, if there is one.
--
-- KEYS[1] definitions  hash: name to text
-- ARGV[1] name
local text = redis.call('HGET', KEYS[1], ARGV[1])
return text and { text } or {}
