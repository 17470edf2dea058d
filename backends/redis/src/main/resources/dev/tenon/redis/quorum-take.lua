-- Takes one lock at this node for a client that asks several nodes, so that all of them come to call the hold by one token:
-- the one that the client proposes, which the first node has made. After settle.lua and take.lua.
--
-- A grant gets the proposed token if that is greater than every token that this node has seen; else one of its own, as ever,
-- and the client proposes the greatest of all once more. A hold of the same request with a smaller token is raised to the
-- proposed one, and the fence with it; none is ever lowered. So whoever holds after this hold gets a greater token here.
--
-- Holders that are let in together (readers) come here in any order, with tokens that the first node made in one. One that
-- is smaller than that of its neighbour is as good, if it is greater than all from before the first of them that still holds:
-- KEYS[6] keeps that floor and that holder's request, a line each. Without it the stricter rule counts.
--
-- ARGV[4] to ARGV[12] as in acquire.lua, ARGV[13] the proposed token, or 0
local request, proposed, groupKey = ARGV[4], tonumber(ARGV[13]), KEYS[6]
local reserved = 32 -- a holder's threads may use this many tokens from its own on
local plainHold, plainToken = hold, nextToken
local joins

local function isTaken(token)
  for _, held in ipairs(state.holders) do
    if held.request ~= request and held.token == token then
      return true
    end
  end
end

-- The floor of those who hold together, if the first of them still does.
local function groupFloor()
  local floor, first = string.match(redis.call('GET', groupKey) or '', '^(%d+)\n(.*)$')
  for _, held in ipairs(state.holders) do
    if held.request == first then
      return tonumber(floor)
    end
  end
end

local function proposedToken()
  local token, last = digits(proposed), tonumber(redis.call('GET', fenceKey) or 0)
  if proposed >= last + reserved then
    redis.call('SET', fenceKey, token)
    return token
  end
  local floor = joins and not isTaken(token) and groupFloor()
  return floor and proposed >= floor + reserved and token or plainToken()
end

hold = function(wish)
  local mine = wish.request == request and proposed > 0
  joins = #state.holders > 0 and wish.converts == ''
  if mine and not joins and wish.mode ~= 'X' then
    redis.call('SET', groupKey, (redis.call('GET', fenceKey) or '0') .. '\n' .. request,
      'PX', keepMillis(now + tonumber(wish.lease)))
  end
  nextToken = mine and proposedToken or plainToken
  local held = plainHold(wish)
  nextToken = plainToken
  return held
end

local answer = take({ request = request, session = ARGV[5], owner = ARGV[6], lease = ARGV[7], mode = ARGV[8],
  delay = ARGV[9], converts = ARGV[10], fair = ARGV[11] == '1', wait = tonumber(ARGV[12]) })
local held = state and heldBy(request)
if held and tonumber(held.token) < proposed and not isTaken(digits(proposed)) then
  held.token = digits(proposed)
  if tonumber(redis.call('GET', fenceKey) or 0) < proposed then
    redis.call('SET', fenceKey, held.token)
  end
  write()
  answer[2] = held.token
end
return answer
