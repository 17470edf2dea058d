-- Claims a slot: the one that this request has already, or a free one whose fence the claimant's clock has passed, or one
-- that was never claimed, or the free one with the least fence. The lease of a repeated request runs from now too, as the
-- claimant counts it from before it asked again. A claim that wants one slot gets that one or none. While the store may have
-- forgotten who holds what, only a claim that says what it keeps gets that.
--
-- ARGV[1] request, ARGV[2] owner, ARGV[3] layout, ARGV[4] capacity, ARGV[5] lease (microseconds),
-- ARGV[6] the claimant's clock (milliseconds), ARGV[7] reserve (milliseconds), ARGV[8] the slot wanted, or empty,
-- ARGV[9] the slot kept, or empty, ARGV[10] the number of the claim that is kept, ARGV[11] '1': no group means a new store
local request, owner, layout, capacity = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local lease, claimantNow, reserve = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
local wanted, kept, keptClaim, newStore = ARGV[8], ARGV[9], tonumber(ARGV[10]), ARGV[11] == '1'

local group = redis.call('HMGET', groupKey, 'layout', 'capacity', 'claimed', 'claim', 'incarnation', 'settledAt',
  'longestLease')
if group[1] and (group[1] ~= layout or group[2] ~= capacity) then
  return { 'CONFLICT', group[1], group[2] }
end
for _, id in ipairs(redis.call('ZRANGEBYSCORE', leasesKey, '-inf', nowDigits)) do
  free(id, read(id))
end

-- Notes the present incarnation; returns it, and from when on slots are given.
local function settle(noted, settledAt, longest)
  local present = presentIncarnation(noted)
  -- Redis may evict one key of the group and leave the others.
  local evicted = group[4] and redis.call('EXISTS', slotsKey) == 0
  if evicted then
    redis.call('DEL', leasesKey, freeKey, requestsKey)
    redis.call('HDEL', groupKey, 'claimed', 'claim')
  end
  if evicted or (group[1] and noted ~= present) or not (group[1] or newStore) then
    settledAt = now + math.max(longest, lease)
  elseif settledAt > now and lease > longest then
    settledAt = math.max(settledAt, now + lease)
  end
  redis.call('HSET', groupKey, 'layout', layout, 'capacity', capacity, 'incarnation', present, 'settledAt', digits(settledAt),
    'longestLease', digits(math.max(longest, lease)))
  return present, settledAt
end

local incarnation, settledAt = settle(group[5], tonumber(group[6] or 0), tonumber(group[7] or 0))

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
  return { 'CLAIMED', id, slot.claim, digits(slot.floor), digits(slot.fence), incarnation }
end

-- Writes a claim of a slot down whose timestamps up to the floor may have been used.
local function claim(id, atLeast, floor)
  local number = digits(math.max(atLeast, tonumber(group[4] or 0) + 1, now))
  redis.call('HSET', groupKey, 'claim', number)
  redis.call('ZREM', freeKey, id)
  redis.call('HSET', requestsKey, request, id)
  local slot = { claim = number, request = request, owner = owner, since = nowDigits, floor = floor,
    fence = math.max(claimantNow, floor) + reserve }
  write(id, slot)
  return lend(id, slot)
end

-- The slot that the claimant says it has: as it is if that is known, or written again while it may have been forgotten.
local function keep(id)
  local before = read(id)
  local ends = redis.call('ZSCORE', leasesKey, id)
  if before and ends and tonumber(before.claim) == keptClaim then
    before.fence = math.max(before.fence, claimantNow + reserve)
    write(id, before)
    return lend(id, before)
  end
  if settledAt <= now or before and tonumber(before.claim) > keptClaim then
    return { 'OVER' }
  end
  if before then
    free(id, before)
  end
  return claim(id, keptClaim + 1, math.max(before and before.fence or 0, claimantNow))
end

local mine = redis.call('HGET', requestsKey, request)
local known = mine and read(mine)
if known then
  return lend(mine, known)
end
if kept ~= '' then
  return keep(kept)
end
if settledAt > now then
  return { 'UNSETTLED', digits(settledAt - now) }
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
return claim(id, 0, before and before.fence or 0)
