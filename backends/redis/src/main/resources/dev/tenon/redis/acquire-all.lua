-- Takes several locks, or none of them. First each is looked at; a lock that can't be had at once ends it there, with
-- nothing done but what time did.
--
-- From ARGV[4] on, for each lock: name, request, session, owner, lease, mode, lock-delay, token that it converts, or
-- nothing, and 1 if it is fair
local wishes = {}
for at = 4, #ARGV, 9 do
  wishes[#wishes + 1] = { name = ARGV[at], request = ARGV[at + 1], session = ARGV[at + 2], owner = ARGV[at + 3],
    lease = ARGV[at + 4], mode = ARGV[at + 5], delay = ARGV[at + 6], converts = ARGV[at + 7],
    fair = ARGV[at + 8] == '1', wait = 0 }
end
for index, wish in ipairs(wishes) do
  turnTo(index, wish.name)
  settle(true)
  if not heldBy(wish.request) then
    local lost = wish.converts ~= '' and not (state and convertible(wish.converts, wish.mode))
    local queued = state and state.awaited and redis.call('ZRANK', queueKey, wish.request)
    local first = not state or not state.awaited or not wish.fair or wish.converts ~= ''
    if lost or queued or not first or state and not fits(wish.mode, wish.converts) then
      return { take(wish) }
    end
  end
end
local answers = {}
for index, wish in ipairs(wishes) do
  turnTo(index, wish.name)
  answers[index] = take(wish)
end
return answers
