-- Takes the lock, or a place in its queue, or tells who holds it. A request that holds already, or is queued already,
-- gets the same answer again and changes nothing; so the call can be repeated after a lost reply.
--
-- ARGV[4] request, ARGV[5] session, ARGV[6] owner, ARGV[7] lease, ARGV[8] how long to wait (0: do not queue)
local request, session, owner, lease, wait = ARGV[4], ARGV[5], ARGV[6], ARGV[7], tonumber(ARGV[8])

-- Returns how many are ahead.
local function enqueue(held)
  local last = redis.call('ZRANGE', queueKey, -1, -1, 'WITHSCORES')[2]
  redis.call('ZADD', queueKey, tonumber(last or 0) + 1, request)
  redis.call('HSET', waitsKey, request, table.concat({ lease, nowDigits, session, owner }, '\n'))
  redis.call('ZADD', deadlinesKey, now + wait, request)
  local untilTheLast = millisUntil(tonumber(redis.call('ZRANGE', deadlinesKey, -1, -1, 'WITHSCORES')[2]))
  redis.call('PEXPIRE', queueKey, untilTheLast)
  redis.call('PEXPIRE', waitsKey, untilTheLast)
  redis.call('PEXPIRE', deadlinesKey, untilTheLast)
  held.awaited = true
  write(held)
  return redis.call('ZCARD', queueKey) - 1
end

local held = settle()
if not held then
  return { 'GRANTED', grant(request, session, owner, lease, false).token, tonumber(lease) }
end
if held.request == request then
  return { 'GRANTED', held.token, held.ends - now }
end
local ahead = held.awaited and redis.call('ZRANK', queueKey, request)
if not ahead then
  if wait == 0 then
    return { 'BUSY', held.owner, held.ends - now }
  end
  ahead = enqueue(held)
end
return { 'QUEUED', ahead, held.ends - now + ahead * tonumber(claimLease) }
