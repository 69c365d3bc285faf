-- Lets slots be taken for longer. It returns the tokens whose slots are lost.
--
-- KEYS: lane. ARGV: lane, lease, tokens.
local key, name, lease = KEYS[1], ARGV[1], number(ARGV[2], day)
if not lease then return bad end
local now, lane, mine, slots, lost = time(), load(key, name), {}, {}, {}
for i = 3, #ARGV do mine[ARGV[i]] = true end
for i = 1, #lane.slots, 15 do
	local token, till = string.sub(lane.slots, i, i + 7), unpack('>I7', lane.slots, i + 8)
	if till > now and till <= now + day + hour then
		if mine[token] then till, mine[token] = now + lease, false end
		table.insert(slots, token .. pack('>I7', till))
	end
end
for i = 3, #ARGV do
	if mine[ARGV[i]] then table.insert(lost, ARGV[i]) end
end
if #ARGV - 2 > #lost then
	lane.slots = table.concat(slots)
	save(key, name, lane)
	keep(key, now, now + lease + idle)
end
return lost
