package memory

// sweep deletes some values that are over, so that they do not pile up.
func sweep[V any](all map[string]V, over func(V) bool) {
	looks := 4
	for key, value := range all {
		if over(value) {
			delete(all, key)
		}
		if looks--; looks == 0 {
			return
		}
	}
}
