-- Replaces or removes the definition of a name if it is exactly the one that the caller knows, and tells whether it was.
--
-- KEYS[1] definitions  hash: name to text
-- ARGV[1] name, ARGV[2] the text that is known, ARGV[3] the new one; left out: none
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then
    return { 0 }
end
if ARGV[3] then
    redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
else
    redis.call('HDEL', KEYS[1], ARGV[1])
end
return { 1 }
