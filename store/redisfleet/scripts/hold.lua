-- Begins a break.
--
-- KEYS: lane. ARGV: lane, wait.
local key, name, wait = KEYS[1], ARGV[1], number(ARGV[2], day)
if not wait then return bad end
local now, lane = time(), load(key, name)
if lane.hold > now + day + hour then lane.hold = 0 end
if now + wait > lane.hold then
	lane.hold = now + wait
	save(key, name, lane)
	keep(key, now, now + wait + idle)
end
return { now }
