-- Claims a slot: the one that this request has already, or a free one whose fence the claimant's clock has passed, or one
-- that was never claimed, or the free one with the least fence. The lease of a repeated request runs from now too, as the
-- claimant counts it from before it asked again. A claim that wants one slot gets that one or none.
--
-- ARGV[1] request, ARGV[2] owner, ARGV[3] layout, ARGV[4] capacity, ARGV[5] lease (microseconds),
-- ARGV[6] the claimant's clock (milliseconds), ARGV[7] reserve (milliseconds), ARGV[8] the slot wanted, or empty
local request, owner, layout, capacity = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local lease, claimantNow, reserve = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
local wanted = ARGV[8]

local group = redis.call('HMGET', groupKey, 'layout', 'capacity', 'claimed', 'claim')
if group[1] and (group[1] ~= layout or group[2] ~= capacity) then
  return { 'CONFLICT', group[1], group[2] }
end
for _, id in ipairs(redis.call('ZRANGEBYSCORE', leasesKey, '-inf', nowDigits)) do
  free(id, read(id))
end

-- The lowest slot that was never claimed. Every one below 'claimed' was; wanted ones may lie above it.
local function firstUnclaimed(claimed)
  while redis.call('HEXISTS', slotsKey, digits(claimed)) == 1 do
    claimed = claimed + 1
  end
  redis.call('HSET', groupKey, 'claimed', digits(claimed))
  return claimed < tonumber(capacity) and digits(claimed) or nil
end

local function choose(claimed)
  local oldest = redis.call('ZRANGE', freeKey, 0, 0, 'WITHSCORES')
  if oldest[1] and tonumber(oldest[2]) < claimantNow then
    return oldest[1]
  end
  return firstUnclaimed(claimed) or oldest[1]
end

-- Leased slots with all that is known of them: id, end of lease, and the slot's line.
local function holders(leases)
  local found = {}
  for i = 1, #leases, 2 do
    found[#found + 1] = { leases[i], leases[i + 1], redis.call('HGET', slotsKey, leases[i]) }
  end
  return found
end

local function lend(id, slot)
  redis.call('ZADD', leasesKey, 'GT', digits(now + lease), id)
  return { 'CLAIMED', id, slot.claim, digits(slot.floor), digits(slot.fence) }
end

local mine = redis.call('HGET', requestsKey, request)
if mine then
  return lend(mine, read(mine))
end
if wanted ~= '' then
  local ends = redis.call('ZSCORE', leasesKey, wanted)
  if ends then
    return { 'TAKEN', nowDigits, holders({ wanted, ends }) }
  end
end
local id = wanted ~= '' and wanted or choose(tonumber(group[3] or 0))
if not id then
  return { 'EXHAUSTED', nowDigits, holders(redis.call('ZRANGE', leasesKey, 0, 9, 'WITHSCORES')) }
end
local before = read(id)
local claim = digits(math.max(tonumber(group[4] or 0) + 1, now))
redis.call('HSET', groupKey, 'layout', layout, 'capacity', capacity, 'claim', claim)
redis.call('ZREM', freeKey, id)
redis.call('HSET', requestsKey, request, id)
local floor = before and before.fence or 0
local slot = { claim = claim, request = request, owner = owner, since = nowDigits, floor = floor,
  fence = math.max(claimantNow, floor) + reserve }
write(id, slot)
return lend(id, slot)
