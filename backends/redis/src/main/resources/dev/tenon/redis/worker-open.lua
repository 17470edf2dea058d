-- What every worker ID script begins with: the slots of one group, and how one becomes free. A slot that was claimed
-- once is forever either leased or free, with its time fence; those never claimed come in ascending order, but for the
-- ones that somebody wants by number.
--
-- KEYS[1] group     hash: layout, capacity; claimed, below which every slot was claimed once; claim, the last claim's number
-- KEYS[2] slots     hash: slot -> claim, request, owner, since (microseconds), floor, fence (milliseconds), a line each
-- KEYS[3] leases    sorted set: leased slots, by the end of their lease (microseconds, the store's clock)
-- KEYS[4] free      sorted set: free slots that were claimed before, by their fence
-- KEYS[5] requests  hash: request -> its slot, while that is leased
local groupKey, slotsKey, leasesKey, freeKey, requestsKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local now, nowDigits = clock()

-- Lua's own conversion keeps but 14 digits.
local function digits(number)
  return string.format('%.0f', number)
end

local function read(id)
  local packed = redis.call('HGET', slotsKey, id)
  if not packed then
    return nil
  end
  local claim, request, owner, since, floor, fence = string.match(packed, '^(.*)\n(.*)\n(.*)\n(.*)\n(.*)\n(.*)$')
  return { claim = claim, request = request, owner = owner, since = since, floor = tonumber(floor),
    fence = tonumber(fence) }
end

local function write(id, slot)
  redis.call('HSET', slotsKey, id, table.concat({ slot.claim, slot.request, slot.owner, slot.since, digits(slot.floor),
    digits(slot.fence) }, '\n'))
end

local function free(id, slot)
  redis.call('ZREM', leasesKey, id)
  redis.call('HDEL', requestsKey, slot.request)
  redis.call('ZADD', freeKey, digits(slot.fence), id)
end

-- The slot, if this claim still has it; else nil.
local function leased(id, claim)
  local ends = redis.call('ZSCORE', leasesKey, id)
  local slot = ends and tonumber(ends) > now and read(id)
  return slot and slot.claim == claim and slot or nil
end
