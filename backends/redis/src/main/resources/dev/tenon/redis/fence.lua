-- Shows a token to a resource, and keeps the value that comes with it. Refused is a token smaller than the greatest that
-- the resource has seen; then nothing is written. The answer is the greatest token.
--
-- KEYS[1] fence   hash: token, the greatest seen; value, the last that was set; never expires
-- ARGV[1] token   decimal, above 0, without leading zeros
-- ARGV[2] value   absent: none is set
local shown = ARGV[1]
local seen = redis.call('HGET', KEYS[1], 'token')

-- As text: Lua's numbers are exact only up to 2^53, and tokens may be greater.
if seen and (#seen > #shown or (#seen == #shown and seen > shown)) then
  return { seen }
end
redis.call('HSET', KEYS[1], 'token', shown)
if ARGV[2] then
  redis.call('HSET', KEYS[1], 'value', ARGV[2])
end
return { shown }
