-- Takes one lock, or a place in its queue, or tells who holds it: see take.lua.
--
-- ARGV[4] request, ARGV[5] session, ARGV[6] owner, ARGV[7] lease, ARGV[8] mode, ARGV[9] lock-delay, ARGV[10] token that it
-- converts, or nothing, ARGV[11] 1 if it is fair, ARGV[12] how long to wait
return take({ request = ARGV[4], session = ARGV[5], owner = ARGV[6], lease = ARGV[7], mode = ARGV[8], delay = ARGV[9],
  converts = ARGV[10], fair = ARGV[11] == '1', wait = tonumber(ARGV[12]) })
