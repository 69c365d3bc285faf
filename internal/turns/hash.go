package turns

// fnvOffset begins the hash of a text.
const fnvOffset = 2166136261

// hash is FNV-1a.
func hash(h uint32, text string) uint32 {
	for i := range len(text) {
		h = (h ^ uint32(text[i])) * 16777619
	}
	return h
}
