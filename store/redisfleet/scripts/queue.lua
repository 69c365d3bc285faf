-- How far away a start may be that has its slot, how long a slot is kept for the first in the queue, and how long a
-- token stays there, at least.
local ahead, hold, keeps, sub = 5000000, 500000, 45000000, string.sub

-- lasting returns the slots whose leases have not ended, and when the last one does.
local function lasting(slots, now)
	local all, last = {}, 0
	for i = 1, #slots, 15 do
		local till = unpack('>I7', slots, i + 8)
		if till > now and till <= now + 90000000000 then
			all[#all + 1] = sub(slots, i, i + 14)
			if till > last then last = till end
		end
	end
	return table.concat(all), last
end

-- first_end returns when the first lease of slots ends, and soon if there is none.
local function first_end(slots, now)
	local ends
	for i = 9, #slots, 15 do ends = math.min(ends or math.huge, (unpack('>I7', slots, i))) end
	return ends or now + ahead
end

-- find returns where the entry of a token begins in a text of entries of a size, or nil.
local function find(text, token, size)
	local i = string.find(text, token, 1, true)
	while i and i % size ~= 1 do i = string.find(text, token, i + 1, true) end
	return i
end

-- cut returns a text without the entry of a token.
local function cut(text, token, size)
	local i = find(text, token, size)
	return i and sub(text, 1, i - 1) .. sub(text, i + size) or text
end

-- hand_on keeps free slots for the first in the queue whose starts are near, and tells their processes. It passes
-- over a token whose process is gone: nobody hears of it. free says when a start with a gap may be. In a cluster, a
-- script cannot tell what is in another slot: hand_on returns what the caller tells.
local function hand_on(slots, queue, now, free, key, name)
	local told = ''
	while queue ~= '' do
		local token, me = sub(queue, 1, 8), sub(queue, 30, 55)
		local most, gap, till = unpack('>I7I7I7', queue, 9)
		if till > now and till <= now + 90000000000 then
			if free(gap) - now > ahead or #slots / 15 >= most then break end
			local hears = 1
			if sub(me, 1, 1) == '-' then -- its process hears nothing, and asks again by itself
			elseif cluster then
				told = told .. me .. token
			else
				local digits = string.gsub(token, '.', function(c) return string.format('%02x', string.byte(c)) end)
				hears = redis.call('PUBLISH', sub(key, 1, -20) .. ':{breaks}:beat:' .. me, 'call ' .. digits .. ' ' .. name)
			end
			if hears > 0 then slots = slots .. token .. pack('>I7', now + hold) end
		end
		queue = sub(queue, 56)
	end
	return slots, queue, told
end
