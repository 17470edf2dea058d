-- What every lock script begins with: the state of one lock, and how time and a hand-over change it. This is
-- LockMachine.settle in Lua. Afterwards a lock is either held, or nobody holds it and nobody waits for it.
--
-- KEYS[1] lock       string: token, when the lease was set, lease, whether anybody may wait, when it was granted, request,
--                    session, owner, a line each; exists while somebody holds
-- KEYS[2] queue      sorted set: requests that wait, by arrival
-- KEYS[3] waits      hash: request -> lease, since, session, owner, a line each
-- KEYS[4] deadlines  sorted set: requests that wait, by the moment at which they stop waiting
-- KEYS[5] fence      the greatest token of this bucket of names; the one key that never expires
-- ARGV[1] name, ARGV[2] what the channel of a session begins with, ARGV[3] longest lease of an unclaimed grant
--
-- Moments and durations are microseconds. The four keys of a lock expire by themselves soon after what they tell of is
-- over, the lock never before its queue. In a script, a command and the printing of a number cost more than all else. So
-- a lock for which nobody waits takes four commands to acquire and three to release: it is one string, which says
-- whether there may be a queue. And numbers go into it as the digits that they came in.
local lockKey, queueKey, waitsKey, deadlinesKey, fenceKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local name, channels, claimLease = ARGV[1], ARGV[2], ARGV[3]
local now, nowDigits = clock()

-- Lua's own conversion keeps but 14 digits.
local function digits(number)
  return string.format('%.0f', number)
end

local function millisUntil(moment)
  return math.ceil((moment - now) / 1000) + 1
end

local function nextToken()
  local last = tonumber(redis.call('SET', fenceKey, nowDigits, 'GET') or 0)
  if last < now then
    return nowDigits
  end
  local token = digits(last + 1)
  redis.call('SET', fenceKey, token)
  return token
end

-- Writes the lock down. Its key must outlive every waiter: a script that finds no lock looks for no queue.
local function write(held)
  local last = held.ends
  if held.awaited then
    last = math.max(last, tonumber(redis.call('ZRANGE', deadlinesKey, -1, -1, 'WITHSCORES')[2] or 0))
  end
  redis.call('SET', lockKey, table.concat({ held.token, held.from, held.lease, held.awaited and 'awaited' or '',
    held.since, held.request, held.session, held.owner }, '\n'), 'PX', millisUntil(last))
end

local function grant(request, session, owner, lease, awaited)
  local held = { token = nextToken(), from = nowDigits, lease = lease, ends = now + tonumber(lease), awaited = awaited,
    since = nowDigits, request = request, session = session, owner = owner }
  write(held)
  return held
end

local function leaveQueue(request)
  redis.call('ZREM', queueKey, request)
  redis.call('ZREM', deadlinesKey, request)
  redis.call('HDEL', waitsKey, request)
end

-- Gives a lock that has lost its holder to the head of the queue, and tells that session and no other.
local function handOver(awaited)
  local request = awaited and redis.call('ZRANGE', queueKey, 0, 0)[1]
  if not request then
    redis.call('DEL', lockKey)
    return nil
  end
  local lease, since, session, owner = string.match(redis.call('HGET', waitsKey, request), '^(.*)\n(.*)\n(.*)\n(.*)$')
  leaveQueue(request)
  if tonumber(lease) > tonumber(claimLease) then
    lease = claimLease
  end
  local held = grant(request, session, owner, lease, true)
  local sinceQueued = digits(math.max(now - tonumber(since), 0))
  redis.call('PUBLISH', channels .. session, table.concat({ name, request, held.token, sinceQueued, lease }, '\n'))
  return held
end

-- Lets time take its course; returns who holds the lock now, or nil.
local function settle()
  local lock = redis.call('GET', lockKey)
  if not lock then
    return nil
  end
  local token, from, lease, awaited, since, request, session, owner =
    string.match(lock, '^(.-)\n(.-)\n(.-)\n(.-)\n(.-)\n(.-)\n(.-)\n(.*)$')
  local held = { token = token, from = from, lease = lease, ends = from + lease, awaited = awaited ~= '',
    since = since, request = request, session = session, owner = owner }
  if held.awaited then
    for _, late in ipairs(redis.call('ZRANGEBYSCORE', deadlinesKey, '-inf', nowDigits)) do
      leaveQueue(late)
    end
  end
  if held.ends <= now then
    return handOver(held.awaited)
  end
  return held
end
