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

-- The oldest start stays if it is over: it stands for all before it.
local i = ARGV[3] == '1' and string.find(lane.starts, token, 1, true)
if i and i % 29 == 22 and (i + 7 < #lane.starts or unpack('>I7', lane.starts, i - 21) >= now) then
	lane.starts, changed = string.sub(lane.starts, 1, i - 22) .. string.sub(lane.starts, i + 8), true
end
if changed then save(key, name, lane) end
return { now }
