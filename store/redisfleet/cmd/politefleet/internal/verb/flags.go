package verb

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
)

// misuse is the error of a command that makes no sense.
type misuse struct {
	error
	hint string // what to do instead
}

// Misused returns the error for a use of a verb that makes no sense.
func Misused(verb string, err error) error {
	return misuse{err, fmt.Sprintf("%q tells how to use it.", strings.TrimSpace("politefleet help "+verb))}
}

// Parse reads the flags among args, wherever they stand, and returns the other
// arguments. After "--" there are no flags. The flags have the name of the verb.
func Parse(flags *flag.FlagSet, args []string) (rest []string, err error) {
	flags.SetOutput(io.Discard) // Verb.Do tells
	for {
		err := flags.Parse(args)
		if errors.Is(err, flag.ErrHelp) {
			return nil, err
		}
		if err != nil {
			return nil, Misused(flags.Name(), flagError(flags, err))
		}
		read := len(args) - flags.NArg()
		if flags.NArg() == 0 || read > 0 && args[read-1] == "--" {
			return append(rest, flags.Args()...), nil
		}
		rest, args = append(rest, flags.Arg(0)), flags.Args()[1:]
	}
}

// flagError returns err with the flags written as the help writes them. If a flag does not
// exist, it lists those that do.
func flagError(flags *flag.FlagSet, err error) error {
	name, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	if !unknown {
		text := err.Error()
		flags.VisitAll(func(f *flag.Flag) {
			text = strings.Replace(text+":", " -"+f.Name+":", " "+dashed(f.Name)+":", 1)
			text = strings.TrimSuffix(text, ":")
		})
		return errors.New(text)
	}
	var known []string
	flags.VisitAll(func(f *flag.Flag) { known = append(known, dashed(f.Name)) })
	return fmt.Errorf("unknown flag %s: there is %s", dashed(name), strings.Join(known, ", "))
}

// dashed returns a flag as the help writes it.
func dashed(flag string) string {
	if len(flag) == 1 {
		return "-" + flag
	}
	return "--" + flag
}
