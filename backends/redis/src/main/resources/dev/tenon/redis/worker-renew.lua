-- Extends the lease and the fence of a slot, if this claim still has it. The fence never goes back. In a store that may have
-- forgotten others since the group was last claimed from, the claim counts as over: its holder then says what it keeps, and with
-- that the time begins after which slots are given again.
--
-- ARGV[1] slot, ARGV[2] claim, ARGV[3] lease (microseconds), ARGV[4] fence (milliseconds)
local slot = leased(ARGV[1], ARGV[2])
local noted = redis.call('HGET', groupKey, 'incarnation')
if not slot or not noted or noted ~= presentIncarnation(noted) then
  return { 'OVER' }
end
slot.fence = math.max(slot.fence, tonumber(ARGV[4]))
write(ARGV[1], slot)
redis.call('ZADD', leasesKey, digits(now + tonumber(ARGV[3])), ARGV[1])
return { 'EXTENDED' }
