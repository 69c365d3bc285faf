package lint

// isInvisible reports whether r is white space beyond ASCII, or has no width.
func isInvisible(r rune) bool {
	switch r {
	case 0x85, 0xA0, 0x1680, 0x202F, 0x205F, 0x3000, 0xFEFF, 0xAD, 0x2060:
		return true
	}
	return 0x2000 <= r && r <= 0x200F || 0x2028 <= r && r <= 0x2029 || isDirection(r)
}

// isDirection reports whether r changes the direction of the text around it.
func isDirection(r rune) bool {
	return r == 0x61C || r == 0x200E || r == 0x200F || 0x202A <= r && r <= 0x202E || 0x2066 <= r && r <= 0x2069
}
