package memory

// sweep drops some values that are over, so that they do not pile up.
func sweep[V any](all map[string]V, over func(V) bool, drop func(string, V)) {
	looks := 4
	for key, value := range all {
		if over(value) {
			drop(key, value)
		}
		if looks--; looks == 0 {
			return
		}
	}
}
