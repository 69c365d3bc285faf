-- A double has no struct. This one has what lanes need: numbers of seven bytes.
local struct = rawget(_G, 'struct') or {
	pack = function(_, ...)
		local all = ''
		for _, n in ipairs({ ... }) do
			local text = ''
			for _ = 1, 7 do
				text, n = string.char(n % 256) .. text, (n - n % 256) / 256
			end
			all = all .. text
		end
		return all
	end,
	unpack = function(format, text, i)
		local numbers = {}
		for k = 1, (#format - 1) / 2 do
			local n, from = 0, (i or 1) + 7 * (k - 1)
			for j = from, from + 6 do n = n * 256 + string.byte(text, j) end
			numbers[k] = n
		end
		return unpack(numbers)
	end,
}
