-- Sets the end of the lease to a while from now, if the lock is held under this token. The first renewal of a lock that
-- was handed over claims it for good.
--
-- ARGV[4] token, ARGV[5] lease
local held = settle()
if not held or held.token ~= ARGV[4] then
  return { 'NOT_HELD' }
end
local lease = tonumber(ARGV[5])
held.from, held.lease, held.ends = nowDigits, ARGV[5], now + lease
write(held)
return { 'EXTENDED', lease }
