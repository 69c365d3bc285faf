-- Takes a turn. It runs for each, so it makes no functions and few calls.
--
-- KEYS: lane. ARGV: void after, lane, token, gap, slack, slots, lease, not before, most wait.
--
-- Each number is compared before it is used: a comparison of what is no number fails, and
-- one of NaN is false.
local sub, tonumber, format = string.sub, tonumber, string.format
local hour, day, week = 3600000000, 86400000000, 604800000000
local key, name, token = KEYS[1], ARGV[2], ARGV[3]
local void, gap, slack = tonumber(ARGV[1]), tonumber(ARGV[4]), tonumber(ARGV[5])
local slots, lease = tonumber(ARGV[6]), tonumber(ARGV[7])
local before, most = tonumber(ARGV[8]), tonumber(ARGV[9])
if not (#token == 26 and #ARGV[4] == 11 and #ARGV[5] == 11 and void >= 0 and most >= 0 and gap >= 0 and gap <= day and slack >= 0 and slack <= day
		and slots >= 0 and lease >= 0 and lease <= day and before >= 0 and before <= week) then
	return { err = 'ERR polite: an argument is not a number within its bounds' }
end
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
if now > void then return { now, 'void' } end

-- What the lane is.
local lane, damaged = redis.pcall('GET', key), false
if type(lane) == 'table' then
	if not string.find(lane.err, 'WRONGTYPE', 1, true) then return lane end
	redis.call('DEL', key)
	lane, damaged = false, true
end
local none = '0000000000000000'
local hold, holdText, count, starts, taken = 0, none, 0, '', ''
if lane then
	local written, counts = tonumber(sub(lane, 1, 10)), tonumber(sub(lane, 27, 38))
	local n, m = 0, 0
	if counts and counts > 0 and counts < 1e12 then
		m = counts % 1e6
		n = (counts - m) / 1e6
	end
	if written and written >= 0 and #lane == 38 + 64 * n + 42 * m + #name and sub(lane, 39 + 64 * n + 42 * m) == name then
		damaged = written > clock[1] + 3600
		if n > 0 and not damaged then count, starts = n, sub(lane, 39, 38 + 64 * n) end
		if m > 0 then taken = sub(lane, 39 + 64 * n, 38 + 64 * n + 42 * m) end
		holdText = sub(lane, 11, 26)
		if holdText ~= none then hold = tonumber(holdText) or 0 end
		if not (hold > now and hold <= now + day + hour) then hold, holdText = 0, none end
	else
		hold, damaged = 0, true
	end
end
if gap == 0 and slots == 0 then return { now, 'ok', hold > 0 and hold - now or 0, 0 } end

-- The soonest start. What the token has reserved stays if it is of use.
local at, kept, ends = now + before, false, now
if hold > at then at = hold end
if count > 0 and gap > 0 then
	local own = string.find(starts, token, 1, true)
	while own and own % 64 ~= 39 do own = string.find(starts, token, own + 1, true) end
	if own then
		local was = (tonumber(sub(starts, own - 38, own - 23)) or 0) - slack
		if was >= at and was <= now + week and sub(starts, own - 22, own - 1) == ARGV[4] .. ARGV[5] then
			at, kept = was, true
		else
			starts, count = sub(starts, 1, own - 39) .. sub(starts, own + 26), count - 1
		end
	end
end
if count > 0 then -- the first is the newest
	local over, apart = tonumber(sub(starts, 1, 16)), tonumber(sub(starts, 17, 27))
	if over and apart and over >= 0 and over <= now + week + day + hour and apart >= 0 and apart <= day then
		ends = over + apart
		if not kept and gap > 0 then
			local next = over + (apart > gap and apart or gap)
			if next > at then at = next end
		end
	else
		damaged = true
	end
end
if damaged then -- the lane begins again
	count, starts, kept = 1, format('%016.0f', now) .. string.rep('0', 22) .. string.rep('A', 26), false
	if at < now + gap then at = now + gap end
end
if at > now + week then at = now + week end

-- The slots that are taken.
local live, own = 0, ''
if taken ~= '' then
	local others = {}
	for i = 1, #taken, 42 do
		local till = tonumber(sub(taken, i + 26, i + 41))
		if till and till > now and till <= now + day + hour then
			if till > ends then ends = till end
			if sub(taken, i, i + 25) ~= token then
				live = live + 1
				others[live] = sub(taken, i, i + 41)
			else
				own = sub(taken, i, i + 41)
			end
		end
	end
	taken = table.concat(others)
end

local answer, slot = 'ok', 0
if at - now > most then
	answer = 'late'
elseif slots > 0 and at - now <= slack then
	if live < slots then slot = 1 else answer = 'busy' end
end
if answer ~= 'ok' then
	if not damaged then return { now, answer, at - now, 0 } end
elseif gap > 0 and not kept then
	starts = format('%016.0f', at + slack) .. ARGV[4] .. ARGV[5] .. token .. starts
	count = count + 1
	if at + slack + gap > ends then ends = at + slack + gap end
end
-- Of the starts that are over, two count: the newer may be given back.
while count > 2 do
	local over = tonumber(sub(starts, 64 * count - 191, 64 * count - 176)) -- of the last but two
	if over and over >= now then break end
	count = count - 1
	starts = sub(starts, 1, 64 * count)
end
if slot == 1 then
	taken, live = taken .. token .. format('%016.0f', now + lease), live + 1
	if now + lease > ends then ends = now + lease end
elseif own ~= '' then -- only Done and the end of its lease free it
	taken, live = taken .. own, live + 1
end
if hold > ends then ends = hold end
ends = (ends - now) / 1000 + 600000
redis.call('SET', key, clock[1] .. holdText .. format('%06d%06d', count, live) .. starts .. taken .. name, 'PX', ends - ends % 1)
return { now, answer, at - now, slot }
