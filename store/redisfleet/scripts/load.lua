-- A lane outlives its last turn by ten minutes, or by eleven.
local idle = 600 * second

-- load returns a lane, or an empty one if it is not there, or is damaged.
local function load(key, name)
	local text, first = tidy('GETRANGE', key, '0', '16777215') or '', 8
	local lane = { written = 0, break_ends = 0, slots = '', queue = '', starts = '' }
	local waits = 30 -- where the queue begins
	if string.sub(text, 8, 8) == '!' and #text > 29 then
		local slots, queue = unpack('>I7I7', text, 16)
		waits = 30 + 15 * slots
		first = waits + 55 * queue
	end
	local count = (#text + 1 - first - #name) / 29
	if count < 0 or count % 1 ~= 0 then return lane end
	lane.written, lane.starts = unpack('>I7', text), string.sub(text, first, first + 29 * count - 1)
	if first > 8 then lane.break_ends, lane.slots, lane.queue = unpack('>I7', text, 9), string.sub(text, 30, waits - 1), string.sub(text, waits, first - 1) end
	return lane
end

local function save(key, name, lane)
	local more = ''
	if lane.break_ends > 0 or #lane.slots + #lane.queue > 0 then
		more = '!' .. pack('>I7I7I7', lane.break_ends, #lane.slots / 15, #lane.queue / 55) .. lane.slots .. lane.queue
	end
	redis.call('SET', key, pack('>I7', lane.written) .. more .. lane.starts .. name, 'KEEPTTL')
end
