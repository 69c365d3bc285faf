-- Takes a turn. It runs for each, so it makes few calls and few texts.
--
-- KEYS: lane. ARGV: void after, lane, a start without its time (gap, slack, token), and then,
-- unless all are zero: not before, most wait, slots, lease, lead, and if the token waits in the queue: the channel of its
-- process, and whether a slot alone is enough. It returns a text: the time (7 bytes), the wait (7), the longest gap of the
-- starts that may delay it (7), and then late, busy, slot, void, or nothing; in a queue also line and how long the first lease
-- of others lasts, far, or bare, a slot without a start. After a space it says whom the caller tells: see hand_on.
--
-- Numbers are compared before they are used: a comparison with NaN is false.
local hour, day, month, far = 3600000000, 86400000000, 2592000000000, 5184000000000 -- far: no start is further away
local key, name, ask = KEYS[1], ARGV[2], ARGV[3]
if #ask ~= 22 then return { err = 'ERR polite: an argument is not a number within its bounds' } end
local gap, slack = unpack('>I7I7', ask)
local void, token = ARGV[1] + 0, sub(ask, 15)
local before, most, slots, lease, lead = 0, far, 0, 0, 0
if ARGV[4] then before, most, slots, lease, lead = ARGV[4] + 0, ARGV[5] + 0, ARGV[6] + 0, ARGV[7] + 0, ARGV[8] + 0 end
if not (void >= 0 and gap <= month and slack <= day and before >= 0 and before <= far and most >= 0 and slots >= 0 and lease >= 0 and lease <= day and lead >= 0 and lead <= day) then
	return { err = 'ERR polite: an argument is not a number within its bounds' }
end
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
if now > void then return pack('>I7I7I7', now, 0, 0) .. 'void' end

-- What the lane is. From first on there are count starts, of 29 bytes each.
local lane, damaged = redis.pcall('GETRANGE', key, '0', '16777215'), false -- all of a lane; of what has no end, a part
if lane and lane.err then
	if not string.find(lane.err, 'WRONGTYPE', 1, true) then return lane end
	redis.call('DEL', key)
	lane, damaged = false, true
elseif lane == '' then
	lane = false
end
local written, break_ends, taken, queue, first, count = 0, 0, '', '', 8, 0
if lane then
	if sub(lane, 8, 8) == '!' and #lane > 29 then
		local ends, m, waiting = unpack('>I7I7I7', lane, 9)
		if ends > now and ends <= now + day + hour then break_ends = ends end
		first = 30 + 15 * m + 55 * waiting
		taken, queue = sub(lane, 30, 29 + 15 * m), sub(lane, 30 + 15 * m, first - 1)
	end
	count = (#lane + 1 - first - #name) / 29
	if count >= 0 and count % 1 == 0 then
		written = unpack('>I7', lane)
		if written > now + hour then damaged = true end
	else
		break_ends, taken, queue, damaged = 0, '', '', true
	end
	if damaged then count = 0 end
end
if gap == 0 and slots == 0 then return pack('>I7I7I7', now, break_ends > 0 and break_ends - now or 0, 0) end

-- The soonest start. What the token has reserved stays if it is of use.
local at, kept, ends, over, longest = now + before, false, now, 0, 0
if break_ends > at then at = break_ends end
if count > 0 and gap > 0 then
	local own = string.find(lane, token, first, true)
	if own and own < first + 29 * count and (own - first) % 29 == 21 then
		local was = unpack('>I7', lane, own - 21) - slack
		if was >= at and was <= now + far and sub(lane, own - 14, own + 7) == ask then
			at, kept = was, true
		else
			lane, count = sub(lane, 1, own - 22) .. sub(lane, own + 8), count - 1
		end
	end
end
-- The first is the newest. The start may come between those of others that leave room for it.
local from, place, later, later_gap = at, 0, 0, 0
for i = 0, (count < 1000 and count or 1000) - 1 do
	local till, apart, late = unpack('>I7I7I7', lane, first + 29 * i)
	if not (till <= now + far + day + hour and apart <= month and late <= day) then
		damaged = i == 0
		break
	end
	if i == 0 then over, ends = till, till + apart end
	if apart > longest then longest = apart end
	if kept or gap == 0 then break end
	local least = apart > gap and apart or gap
	local soonest = till + least > from and till + least or from
	if soonest + slack + (later_gap > gap and later_gap or gap) <= later or i == 0 then at, place = soonest, i end
	if till + least <= from then break end
	later, later_gap = till - late, apart
end
local starts = ''
if damaged then -- the lane begins again
	written, count, place, starts, kept = 0, 0, 0, pack('>I7', now) .. string.rep('\0', 22), false
	at = from < now + gap and now + gap or from
end
if at > now + far then at = now + far end

-- The slots that are taken.
local own, told, was, last = '', '', queue, 0
if taken ~= '' then
	taken, last = lasting(taken, now)
end
if slots > 0 and queue ~= '' then
	local apart = ends - over
	taken, queue, told = hand_on(taken, queue, now, function(theirs)
		return math.max(count > 0 and over + math.max(apart, theirs) or now, break_ends)
	end, key, name)
	if queue ~= was then last = math.max(last, now + hold) end
end
if last > ends then ends = last end
if taken ~= '' then
	local i = find(taken, token, 15)
	if i then own, taken = sub(taken, i, i + 14), cut(taken, token, 15) end
end
local live = #taken / 15

local answer = ''
if ARGV[9] then
	local i, near = find(queue, token, 55), at - now <= ahead
	if own == '' then at = at + (i and i - 1 or #queue) / 55 * math.max(gap, longest) end -- others go first
	if at - now > most then
		answer, queue = 'late', cut(queue, token, 55)
	elseif own == '' and not (near and queue == '' and live < slots) then
		local entry = token .. pack('>I7I7I7', slots, gap, now + math.min(math.max(keeps, 2 * (at - now)), day)) .. ARGV[9]
		queue = i and sub(queue, 1, i - 1) .. entry .. sub(queue, i + 55) or queue .. entry
		answer = near and string.format('line%d', first_end(taken, now) - now) or 'far'
	else
		answer = ARGV[10] == '1' and not kept and gap > 0 and at - now < lead and 'bare' or 'slot'
	end
elseif at - now > most then
	answer = 'late'
elseif slots > 0 and at - now <= slack + lead then
	answer = live < slots and 'slot' or 'busy'
end
local new, terms = '', ''
if answer == 'late' or answer == 'busy' then
	if not damaged and queue == was then return pack('>I7I7I7', now, at - now, longest) .. answer end
elseif gap > 0 and not kept and (answer == 'slot' or answer == '') then
	new, terms = pack('>I7', at + slack), ask
	if at + slack + gap > ends then ends = at + slack + gap end
end
-- Of the starts that are over, two count: the newer may be given back.
while count > 2 do
	if (count == 3 and over or unpack('>I7', lane, first + 29 * count - 87)) >= now then break end -- of the last but two
	count = count - 1
end
if count > 0 then starts = sub(lane, first, first + 29 * count - 1) end
if new ~= '' and place > 0 and place < count then
	new, terms, starts = sub(starts, 1, 29 * place) .. new, terms .. sub(starts, 29 * place + 1), ''
end
if answer == 'slot' or answer == 'bare' then
	taken, live = taken .. token .. pack('>I7', now + lease), live + 1
	if now + lease > ends then ends = now + lease end
elseif own ~= '' then -- only Done and the end of its lease free it
	taken, live = taken .. own, live + 1
end
if live > 0 or break_ends > 0 or queue ~= '' then
	taken = '!' .. pack('>I7I7I7', break_ends, live, #queue / 55) .. taken .. queue
end
if break_ends > ends then ends = break_ends end

-- The key lives for ten minutes longer. One minute more lets most turns leave it as it is.
local age = now - written
if age >= 0 and age < 30000000 and ends <= now + 30000000 then
	redis.call('SET', key, sub(lane, 1, 7) .. taken .. new .. terms .. starts .. name, 'KEEPTTL')
else
	redis.call('SET', key, pack('>I7', now) .. taken .. new .. terms .. starts .. name, 'PX', string.format('%d', (ends - now) / 1000 + 661000))
end
return pack('>I7I7I7', now, at - now, longest) .. answer .. (told ~= '' and ' ' .. told or '')
