// Package shell makes the files by which shells complete the command.
package shell

// Names returns the shells that there is a file for.
func Names() []string { return []string{"bash", "zsh", "fish"} }

// Script returns the file for a shell, or "" if there is none.
func Script(shell string, verbs []Verb, values Values) string {
	switch shell {
	case "bash":
		return bash(verbs, values)
	case "zsh":
		return zsh(verbs, values)
	case "fish":
		return fish(verbs, values)
	}
	return ""
}
