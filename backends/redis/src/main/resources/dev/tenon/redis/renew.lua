-- Sets the end of the lease to a while from now, if the lock is held under this token, and tells who wants it back, if
-- anybody does. The first renewal of a lock that was handed over claims it for good.
--
-- ARGV[4] token, ARGV[5] lease
settle()
local held = state and heldUnder(ARGV[4])
if not held then
  return { 'NOT_HELD' }
end
local lease = tonumber(ARGV[5])
held.from, held.lease, held.ends = nowDigits, ARGV[5], now + lease
write()
return { 'EXTENDED', lease, held.revokedBy }
