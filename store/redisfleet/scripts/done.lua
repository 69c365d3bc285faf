-- Gives back what a token has.
--
-- KEYS: lane. ARGV: lane, token, whether the start was not used.
local key, name, token = KEYS[1], ARGV[1], ARGV[2]
local now, lane, changed = time(), load(key, name), false

for i = #lane.slots - 14, 1, -15 do
	if string.sub(lane.slots, i, i + 7) == token then
		lane.slots = string.sub(lane.slots, 1, i - 1) .. string.sub(lane.slots, i + 15)
		changed = true
	end
end

-- Only the newest start is given back. If it is over and the last of which the lane
-- knows, it stays: it may stand for others.
if ARGV[3] == '1' and string.sub(lane.starts, 22, 29) == token then
	if #lane.starts > 29 or unpack('>I7', lane.starts, 1) >= now then
		lane.starts, changed = string.sub(lane.starts, 30), true
	end
end
if changed then save(key, name, lane) end
return { now }
