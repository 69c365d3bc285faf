package verb

import (
	"flag"
	"strings"
)

// separate returns args with the flags of one letter that are written as one, as in -vA
// or -AGPTBot, apart. The values of flags stay as they are, and so does all after "--".
func separate(flags *flag.FlagSet, args []string) []string {
	var all []string
	for i := 0; i < len(args); i++ {
		if args[i] == "--" {
			return append(all, args[i:]...)
		}
		parts := letters(flags, args[i])
		all = append(all, parts...)
		if needsValue(flags, parts[len(parts)-1]) && i+1 < len(args) {
			i++
			all = append(all, args[i])
		}
	}
	return all
}

// letters returns the flags that arg combines. It returns arg alone if arg is one flag or
// none, if it has a letter that is no flag, and if it is a word for a flag: -output is
// not -o utput.
func letters(flags *flag.FlagSet, arg string) []string {
	name, dash := strings.CutPrefix(arg, "-")
	if !dash || len(name) < 2 || name[0] == '-' || name[1] == '=' || flags.Lookup(nameOf(arg)) != nil || synonym(flags, nameOf(arg)) != "" {
		return []string{arg}
	}
	var parts []string
	for i := range len(name) {
		f := flags.Lookup(name[i : i+1])
		switch rest := name[i+1:]; {
		case f == nil:
			return []string{arg}
		case rest != "" && !isSwitch(f):
			return append(parts, "-"+f.Name+"="+rest)
		default:
			parts = append(parts, "-"+f.Name)
		}
	}
	return parts
}

// needsValue reports whether the argument after arg is the value of arg.
func needsValue(flags *flag.FlagSet, arg string) bool {
	if !strings.HasPrefix(arg, "-") || strings.Contains(arg, "=") {
		return false
	}
	f := flags.Lookup(nameOf(arg))
	return f != nil && !isSwitch(f)
}

// nameOf returns the name of the flag that arg is.
func nameOf(arg string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-"), "=")
	return name
}

// isSwitch reports whether a flag has no value.
func isSwitch(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}
