-- The store's clock, in microseconds since 1970, as a number and as text. A file of its own, so that tests can put a clock
-- of theirs in its place. Microseconds of this millennium stay below 2^53: Lua's doubles hold them exactly.
local function clock()
  local time = redis.call('TIME')
  local digits = time[1] .. string.sub('00000' .. time[2], -6)
  return tonumber(digits), digits
end
