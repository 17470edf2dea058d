-- What every range script begins with. A sequence is a hash of whole numbers up to 2^63 - 1, which Lua's doubles do not
-- hold: they stay text here, and Redis itself adds them (HINCRBY is exact, and refuses to overflow).
--
-- KEYS[1] sequence  hash: start, step, max as defined; next, the first number to give; left, how many numbers of the
--                   sequence follow that one (-1: none is left, and next means nothing any more)
-- ARGV[1] start, ARGV[2] step, ARGV[3] max, ARGV[4] left: what the sequence begins with if it does not exist
local key = KEYS[1]

local function text(number)
  return string.format('%.0f', number)
end

local function minus(digits)
  return digits == '0' and '0' or '-' .. digits
end

if redis.call('EXISTS', key) == 0 then
  redis.call('HSET', key, 'start', ARGV[1], 'step', ARGV[2], 'max', ARGV[3], 'next', ARGV[1], 'left', ARGV[4])
end
