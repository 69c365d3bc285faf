-- Gives back what a token has.
--
-- KEYS: lane. ARGV: lane, token, whether the start was not used. It returns whom the caller tells: see hand_on.
local key, name, token = KEYS[1], ARGV[1], ARGV[2]
local now, lane, told = time(), load(key, name), ''
local slots, queue, starts = lane.slots, lane.queue, lane.starts
lane.slots, lane.queue = cut(slots, token, 15), cut(queue, token, 55)

-- The oldest start stays if it is over: it stands for all before it.
local i = ARGV[3] == '1' and string.find(lane.starts, token, 1, true)
if i and i % 29 == 22 and (i + 7 < #lane.starts or unpack('>I7', lane.starts, i - 21) >= now) then
	lane.starts = sub(lane.starts, 1, i - 22) .. sub(lane.starts, i + 8)
end
if lane.queue ~= '' then
	local over, apart = now, 0
	if lane.starts ~= '' then over, apart = unpack('>I7I7', lane.starts) end
	lane.slots, lane.queue, told = hand_on(lasting(lane.slots, now), lane.queue, now, function(gap)
		return math.max(lane.starts ~= '' and over + math.max(apart, gap) or now, lane.break_ends)
	end, key, name)
end
if lane.slots ~= slots or lane.queue ~= queue or lane.starts ~= starts then save(key, name, lane) end
return { now, told }
