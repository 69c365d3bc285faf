-- Begins a break.
--
-- KEYS: lane. ARGV: lane, wait.
local key, name, wait = KEYS[1], ARGV[1], number(ARGV[2], day)
if not wait then return bad end
local now, lane = time(), load(key, name)
if lane.break_ends > now + day + hour then lane.break_ends = 0 end
if now + wait > lane.break_ends then
	lane.break_ends = now + wait
	save(key, name, lane)
	keep(key, now, now + wait + idle)
end
return { now }
