-- Gives back what a token holds.
--
-- KEYS: lane. ARGV: lane, token, whether the start was not used.
local key, name, token = KEYS[1], ARGV[1], ARGV[2]
local now, lane, changed = time(), load(key, name), false

for i = #lane.slots - 41, 1, -42 do
	if string.sub(lane.slots, i, i + 25) == token then
		lane.slots = string.sub(lane.slots, 1, i - 1) .. string.sub(lane.slots, i + 42)
		changed = true
	end
end

-- Only the newest start is given back. If it is over and the last of which the lane
-- knows, it stays: it may stand for others.
if ARGV[3] == '1' and string.sub(lane.starts, 39, 64) == token then
	local over = number(string.sub(lane.starts, 1, 16), 2 ^ 53)
	if #lane.starts > 64 or over and over >= now then
		lane.starts, changed = string.sub(lane.starts, 65), true
	end
end
if changed then save(key, name, lane) end
return { now }
