-- The store's clock, in microseconds since 1970. A file of its own, so that tests can put a clock of theirs in its place.
-- Microseconds of this millennium stay below 2^53, so that Lua's doubles hold them exactly.
local function clock()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end
