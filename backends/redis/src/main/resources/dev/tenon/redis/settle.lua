-- What the lock scripts have in common: the state of one lock, and how time and hand-overs change it. This is
-- LockMachine in Lua: settle() lets time take its course, grants what is free to the head of the queue, and leaves the
-- state in `state`, or nil where nobody holds, nobody waits, and no lock-delay is on.
--
-- KEYS[1] lock       string: "awaited" if anybody may wait, "alone" if not and there is one holder and no lock-delay is on,
--                    else nothing; until when a lock-delay lasts; and of each holder: token, when the lease was set,
--                    lease, when it was granted, request, session, owner, mode, lock-delay, who asked it to let go; a
--                    line each
-- KEYS[2] queue      sorted set: requests that wait, by their place
-- KEYS[3] waits      hash: request -> lease, since, session, owner, mode, lock-delay, token that it converts, a line each
-- KEYS[4] deadlines  sorted set: requests that wait, by the moment at which they stop waiting
-- KEYS[5] fence      the token of the last grant in this bucket of names; the one key that never expires
-- ARGV[1] name, ARGV[2] what the channel of a session begins with, ARGV[3] longest lease of an unclaimed grant
-- Several locks at once: five keys for each, and the names after all other arguments.
--
-- A mode is "X" (exclusive), "S" (shared), "U" (update), or "P", permits and their number: "P 2 5". Moments and durations
-- are microseconds. The keys of a lock expire by themselves soon after what they tell of is over, the lock never before its
-- queue. In a script, a command and the printing of a number cost more than all else. So a lock is one string, which says
-- whether there may be a queue, and numbers go into it as the digits that they came in.
local lockKey, queueKey, waitsKey, deadlinesKey, fenceKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local name, channels, claimLease = ARGV[1], ARGV[2], ARGV[3]
local state

-- Turns to another of several locks.
local function turnTo(index, itsName)
  local at = (index - 1) * 5
  lockKey, queueKey, waitsKey, deadlinesKey, fenceKey =
    KEYS[at + 1], KEYS[at + 2], KEYS[at + 3], KEYS[at + 4], KEYS[at + 5]
  name, state = itsName, nil
end

-- Lua's own conversion keeps but 14 digits.
local function digits(number)
  return string.format('%.0f', number)
end

local function nextToken()
  local last = tonumber(redis.call('SET', fenceKey, nowDigits, 'GET') or 0)
  if last + stride <= now then
    return nowDigits
  end
  local token = digits(last + stride)
  redis.call('SET', fenceKey, token)
  return token
end

-- How long a key must stay that tells of what lasts until this moment, and a second more: only scripts end things.
local function keepMillis(moment)
  return math.ceil((moment - now) / 1000) + 1000
end

local function lastDeadline()
  return tonumber(redis.call('ZRANGE', deadlinesKey, -1, -1, 'WITHSCORES')[2] or 0)
end

-- Writes the state down. Its key must outlive every waiter: a script that finds no lock looks for no queue.
local function write()
  local last = state.delay
  local alone = #state.holders == 1 and last <= now
  local lines = { state.awaited and 'awaited' or alone and 'alone' or '', last > now and digits(last) or '0' }
  for _, held in ipairs(state.holders) do
    last = math.max(last, held.ends + held.delay)
    lines[#lines + 1] = table.concat({ held.token, held.from, held.lease, held.since, held.request, held.session,
      held.owner, held.mode, held.delay, held.revokedBy }, '\n')
  end
  if state.awaited then
    last = math.max(last, lastDeadline())
  end
  if last <= now then
    redis.call('DEL', lockKey)
    state = nil
    return
  end
  redis.call('SET', lockKey, table.concat(lines, '\n') .. '\n', 'PX', keepMillis(last))
end

local function read()
  local lock = seen
  if lock == nil then
    lock = redis.call('GET', lockKey)
  end
  seen = nil -- good once: later it may have been written over, or be another lock's
  if not lock then
    return nil
  end
  local field = string.gmatch(lock, '([^\n]*)\n')
  local found = { awaited = field() == 'awaited', delay = tonumber(field()), holders = {} }
  local token = field()
  while token do
    local held = { token = token, from = field(), lease = field(), since = field(), request = field(),
      session = field(), owner = field(), mode = field(), delay = field(), revokedBy = field() }
    held.ends = held.from + held.lease
    found.holders[#found.holders + 1] = held
    token = field()
  end
  return found
end

local function leaveQueue(request)
  redis.call('ZREM', queueKey, request)
  redis.call('ZREM', deadlinesKey, request)
  redis.call('HDEL', waitsKey, request)
end

local function heldUnder(token)
  for index, held in ipairs(state.holders) do
    if held.token == token then
      return held, index
    end
  end
end

local function convertible(token, mode)
  local held = heldUnder(token)
  return held and (held.mode == 'X' and (mode == 'U' or mode == 'S') or held.mode == 'U' and (mode == 'X' or mode == 'S'))
end

local together = { S = { S = true, U = true }, U = { S = true }, P = { P = true } }

-- Whether one that wants this mode may hold beside those who hold and stay.
local function fits(mode, converts)
  local weakens = converts ~= '' and mode ~= 'X'
  if state.delay > now and not weakens then
    return false
  end
  local kind, permits, max = string.match(mode, '^(%a) ?(%d*) ?(%d*)$')
  local taken = tonumber(permits) or 0
  for _, held in ipairs(state.holders) do
    if held.token ~= converts then
      if not (together[kind] and together[kind][string.sub(held.mode, 1, 1)]) then
        return false
      end
      taken = taken + (tonumber(string.match(held.mode, '^P (%d+)')) or 0)
    end
  end
  return kind ~= 'P' or taken <= tonumber(max)
end

-- Adds a holder, in place of the one that it converts, and for at least as long as that would hold: its owner may count on it.
local function hold(wish)
  local before, index = heldUnder(wish.converts)
  local lease = wish.lease
  if index then
    table.remove(state.holders, index)
    if before.ends - now > tonumber(lease) then
      lease = digits(before.ends - now)
    end
  end
  local held = { token = nextToken(), from = nowDigits, lease = lease, since = nowDigits,
    ends = now + tonumber(lease), request = wish.request, session = wish.session, owner = wish.owner,
    mode = wish.mode, delay = wish.delay, revokedBy = '' }
  state.holders[#state.holders + 1] = held
  return held
end

-- Grants from the head of the queue what fits, and tells those sessions and no others. Returns how many.
local function handOver()
  local count = 0
  while state.awaited do
    local request = redis.call('ZRANGE', queueKey, 0, 0)[1]
    if not request then
      state.awaited = false
      break
    end
    local lease, since, session, owner, mode, delay, converts =
      string.match(redis.call('HGET', waitsKey, request), '^(.-)\n(.-)\n(.-)\n(.-)\n(.-)\n(.-)\n(.*)$')
    if converts ~= '' and not convertible(converts, mode) then
      leaveQueue(request)
    elseif not fits(mode, converts) then
      break
    else
      leaveQueue(request)
      if tonumber(lease) > tonumber(claimLease) then
        lease = claimLease
      end
      local held = hold({ request = request, session = session, owner = owner, lease = lease, mode = mode, delay = delay,
        converts = converts })
      local sinceQueued = digits(math.max(now - tonumber(since), 0))
      redis.call('PUBLISH', channels .. session, table.concat({ name, request, held.token, sinceQueued, held.lease }, '\n'))
      count = count + 1
      if mode == 'X' then
        break -- nobody fits beside it: not worth a look at the next one
      end
    end
  end
  return count
end

-- Lets time take its course. What was written was settled then: the queue is looked at only if time has changed something
-- since, or the caller has, or must know whether anybody waits.
local function settle(look)
  state = read()
  if not state then
    return
  end
  look = look or state.delay > 0 and state.delay <= now
  if state.awaited then
    for _, late in ipairs(redis.call('ZRANGEBYSCORE', deadlinesKey, '-inf', nowDigits)) do
      leaveQueue(late)
      look = true
    end
  end
  local holders = {}
  for _, held in ipairs(state.holders) do
    if held.ends > now then
      holders[#holders + 1] = held
    else
      state.delay = math.max(state.delay, held.ends + held.delay)
      look = true
    end
  end
  state.holders = holders
  if look and state.awaited and handOver() > 0 then
    write()
  end
  if state and #state.holders == 0 and state.delay <= now and not state.awaited then
    redis.call('DEL', lockKey)
    state = nil
  end
end

-- By when what holds the lock up has run out, unless it is renewed.
local function untilFree()
  local last = math.max(now, state.delay)
  for _, held in ipairs(state.holders) do
    last = math.max(last, held.ends)
  end
  return last - now
end
