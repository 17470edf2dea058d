-- What every lock script begins with: the state of one lock, and how time and a hand-over change it. This is
-- LockMachine.settle in Lua. Afterwards a lock is either held, or nobody holds it and nobody waits for it.
--
-- KEYS[1] lock       hash: token, request, session, owner, since, ends (microseconds); exists while somebody holds
-- KEYS[2] queue      sorted set: requests that wait, by arrival
-- KEYS[3] waits      hash: request -> session, owner, lease, since, a line each
-- KEYS[4] deadlines  sorted set: requests that wait, by the moment at which they stop waiting
-- KEYS[5] fence      the greatest token of this bucket of names; the one key that never expires
-- ARGV[1] name, ARGV[2] what the channel of a session begins with, ARGV[3] longest lease of an unclaimed grant
--
-- The four keys of a lock expire by themselves soon after what they tell of is over, the lock never before its queue.
-- Numbers become text through text() only: Lua's own conversion keeps but 14 digits.
local lockKey, queueKey, waitsKey, deadlinesKey, fenceKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local name, channels, claimLease = ARGV[1], ARGV[2], tonumber(ARGV[3])
local now = clock()

local function text(number)
  return string.format('%.0f', number)
end

local function expireAt(key, moment)
  redis.call('PEXPIRE', key, text(math.ceil((moment - now) / 1000) + 1))
end

local function nextToken()
  local token = text(math.max(tonumber(redis.call('GET', fenceKey) or 0) + 1, now))
  redis.call('SET', fenceKey, token)
  return token
end

-- Sets the end of the lease. The lock's key must outlive every waiter: a script that finds no lock looks for no queue.
local function holdUntil(ends)
  redis.call('HSET', lockKey, 'ends', text(ends))
  local lastDeadline = redis.call('ZRANGE', deadlinesKey, -1, -1, 'WITHSCORES')[2]
  expireAt(lockKey, math.max(ends, tonumber(lastDeadline or 0)))
end

local function grant(request, session, owner, lease)
  local held = { token = nextToken(), request = request, session = session, owner = owner, since = text(now),
    ends = now + lease }
  redis.call('HSET', lockKey, 'token', held.token, 'request', request, 'session', session, 'owner', owner,
    'since', held.since)
  holdUntil(held.ends)
  return held
end

local function leaveQueue(request)
  redis.call('ZREM', queueKey, request)
  redis.call('ZREM', deadlinesKey, request)
  redis.call('HDEL', waitsKey, request)
end

-- Gives a lock that has lost its holder to the head of the queue, and tells that session and no other.
local function handOver()
  local request = redis.call('ZRANGE', queueKey, 0, 0)[1]
  if not request then
    redis.call('DEL', lockKey)
    return nil
  end
  local session, owner, wished, since = string.match(redis.call('HGET', waitsKey, request), '^(.*)\n(.*)\n(.*)\n(.*)$')
  leaveQueue(request)
  local lease = math.min(tonumber(wished), claimLease)
  local held = grant(request, session, owner, lease)
  local sinceQueued = math.max(now - tonumber(since), 0)
  redis.call('PUBLISH', channels .. session,
    table.concat({ name, request, held.token, text(sinceQueued), text(lease) }, '\n'))
  return held
end

-- Lets time take its course; returns who holds the lock now, or nil.
local function settle()
  local field = redis.call('HMGET', lockKey, 'token', 'request', 'session', 'owner', 'since', 'ends')
  if not field[1] then
    return nil
  end
  for _, request in ipairs(redis.call('ZRANGEBYSCORE', deadlinesKey, '-inf', text(now))) do
    leaveQueue(request)
  end
  local ends = tonumber(field[6])
  if ends <= now then
    return handOver()
  end
  return { token = field[1], request = field[2], session = field[3], owner = field[4], since = field[5], ends = ends }
end
