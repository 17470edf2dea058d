-- Takes the lock that the script has turned to, or a place in its queue, or tells who holds it. A request that holds
-- already, or is queued already, gets the same answer again and changes nothing; so the call can be repeated after a lost
-- reply. Used by the scripts for one lock and for several.
--
-- wish: request, session, owner, lease, mode, lock-delay, the token that it converts (or nothing), each as text; whether it
-- is fair; and how long to wait (0: do not queue), a number
local function heldBy(request)
  for _, held in ipairs(state and state.holders or {}) do
    if held.request == request then
      return held
    end
  end
end

-- Returns how many are ahead.
local function enqueue(wish)
  local first = wish.converts ~= ''
  local edge = redis.call('ZRANGE', queueKey, first and 0 or -1, first and 0 or -1, 'WITHSCORES')[2]
  redis.call('ZADD', queueKey, tonumber(edge or 0) + (first and -1 or 1), wish.request)
  redis.call('HSET', waitsKey, wish.request, table.concat({ wish.lease, nowDigits, wish.session, wish.owner, wish.mode,
    wish.delay, wish.converts }, '\n'))
  redis.call('ZADD', deadlinesKey, now + wish.wait, wish.request)
  local untilTheLast = keepMillis(lastDeadline())
  redis.call('PEXPIRE', queueKey, untilTheLast)
  redis.call('PEXPIRE', waitsKey, untilTheLast)
  redis.call('PEXPIRE', deadlinesKey, untilTheLast)
  state.awaited = true
  write()
  return first and 0 or redis.call('ZCARD', queueKey) - 1
end

local function take(wish)
  settle(true)
  local held = heldBy(wish.request)
  if held then
    return { 'GRANTED', held.token, held.ends - now }
  end
  local ahead = state and state.awaited and redis.call('ZRANK', queueKey, wish.request)
  if ahead then
    return { 'QUEUED', ahead, untilFree() + ahead * tonumber(claimLease) }
  end
  state = state or { awaited = false, delay = 0, holders = {} }
  if wish.converts ~= '' and not convertible(wish.converts, wish.mode) then
    return { 'NOT_HELD' }
  end
  if (not state.awaited or not wish.fair or wish.converts ~= '') and fits(wish.mode, wish.converts) then
    held = hold(wish)
    handOver() -- a weaker mode than before may let others in
    write()
    return { 'GRANTED', held.token, tonumber(held.lease) }
  end
  if wish.wait == 0 then
    local owner = state.holders[1] and state.holders[1].owner
    if not owner and state.awaited then
      local head = redis.call('ZRANGE', queueKey, 0, 0)[1]
      owner = string.match(redis.call('HGET', waitsKey, head), '^.-\n.-\n.-\n(.-)\n')
    end
    return { 'BUSY', owner or 'lock-delay', untilFree() }
  end
  ahead = enqueue(wish)
  return { 'QUEUED', ahead, untilFree() + ahead * tonumber(claimLease) }
end
