-- Extends the lease and the fence of a slot, if this claim still has it. The fence never goes back.
--
-- ARGV[1] slot, ARGV[2] claim, ARGV[3] lease (microseconds), ARGV[4] fence (milliseconds)
local slot = leased(ARGV[1], ARGV[2])
if not slot then
  return { 'OVER' }
end
slot.fence = math.max(slot.fence, tonumber(ARGV[4]))
write(ARGV[1], slot)
redis.call('ZADD', leasesKey, digits(now + tonumber(ARGV[3])), ARGV[1])
return { 'EXTENDED' }
