-- Moves a sequence past a floor, and never back. How many numbers to skip is divided digit by digit, as in school: no
-- intermediate result leaves the 53 bits that Lua has.
--
-- ARGV[5] floor
local floor = ARGV[5]

local function divide(digits, divisor)
  local quotient, remainder = '', 0
  for digit in string.gmatch(digits, '%d') do
    remainder = remainder * 10 + tonumber(digit)
    quotient = quotient .. math.floor(remainder / divisor)
    remainder = remainder % divisor
  end
  return string.gsub(quotient, '^0+(%d)', '%1'), remainder
end

local sequence = redis.call('HMGET', key, 'next', 'step', 'left')
if sequence[3] == '-1' then
  return { 'EXHAUSTED' }
end
local step = tonumber(sequence[2])
redis.call('HSET', key, 'above', floor)
redis.call('HINCRBY', key, 'above', minus(sequence[1]))
local above = redis.call('HGET', key, 'above')
redis.call('HDEL', key, 'above')
if string.sub(above, 1, 1) ~= '-' then
  local skipped, remainder = divide(above, step)
  redis.call('HINCRBY', key, 'left', minus(skipped))
  if redis.call('HINCRBY', key, 'left', -1) < 0 then
    redis.call('HSET', key, 'left', '-1')
    return { 'EXHAUSTED' }
  end
  redis.call('HSET', key, 'next', floor)
  redis.call('HINCRBY', key, 'next', text(step - remainder))
end
return { 'RAISED', redis.call('HGET', key, 'next') }
