-- What every worker ID script begins with: the slots of one group, and how one becomes free. A slot that was claimed
-- once is forever either leased or free, with its time fence; those never claimed come in ascending order, but for the
-- ones that somebody wants by number.
--
-- Redis may forget what it has answered: when it is restarted, as far as it persists, and when a replica takes over. It is then
-- another incarnation, as the group's hash notes; until all who may hold a slot of before have said so, or their leases are
-- over, the slots are not settled, and nobody else gets one.
--
-- KEYS[1] group     hash: layout, capacity; claimed, below which every slot was claimed once; claim, the last claim's number;
--                   incarnation of the store when the group was last claimed from; settledAt, from when on slots are given, and
--                   longestLease, that was ever asked for (microseconds)
-- KEYS[2] slots     hash: slot -> claim, request, owner, since (microseconds), floor, fence (milliseconds), a line each
-- KEYS[3] leases    sorted set: leased slots, by the end of their lease (microseconds, the store's clock)
-- KEYS[4] free      sorted set: free slots that were claimed before, by their fence
-- KEYS[5] requests  hash: request -> its slot, while that is leased
local groupKey, slotsKey, leasesKey, freeKey, requestsKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local now, nowDigits = clock()

-- The store as it is since it last started (run_id) and was last promoted (master_replid, which changes too when a first replica
-- comes, or an hour after the last has gone). nil: its user may not ask, or it is no Redis that tells.
local function ownIncarnation()
  local parts = {}
  for section, field in pairs({ server = 'run_id', replication = 'master_replid' }) do
    local info = redis.pcall('INFO', section)
    local id = type(info) == 'string' and string.match(info, field .. ':(%w+)')
    if not id then
      return nil
    end
    parts[section] = id
  end
  return parts.server .. ' ' .. parts.replication
end

-- Its incarnation, where the group has noted this one; where nobody can tell, what is noted is taken for true.
local function presentIncarnation(noted)
  return ownIncarnation() or noted or 'unknown'
end

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
  if not slot then
    return -- evicted
  end
  redis.call('HDEL', requestsKey, slot.request)
  redis.call('ZADD', freeKey, digits(slot.fence), id)
end

-- The slot, if this claim still has it; else nil.
local function leased(id, claim)
  local ends = redis.call('ZSCORE', leasesKey, id)
  local slot = ends and tonumber(ends) > now and read(id)
  return slot and slot.claim == claim and slot or nil
end
