package verb

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
)

// Parse reads the flags among args, wherever they stand, and returns the other
// arguments. Flags of one letter may be written as one, as in -vA. After "--" there are
// no flags. The flags have the name of the verb.
func Parse(flags *flag.FlagSet, args []string) (rest []string, err error) {
	flags.SetOutput(io.Discard) // Verb.Do tells
	args = separate(flags, args)
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

// ParseNone is Parse for a verb that takes neither flags nor arguments.
func ParseNone(name string, args []string) error {
	rest, err := Parse(flag.NewFlagSet(name, flag.ContinueOnError), args)
	if err == nil && len(rest) > 0 {
		err = Misused(name, fmt.Errorf("unexpected argument %q", Shown(rest[0])))
	}
	return err
}

// flagError returns err with the flags written as the help writes them. If a flag
// does not exist, it tells the flag that was meant, or lists those that do.
func flagError(flags *flag.FlagSet, err error) error {
	name, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	if !unknown {
		text := err.Error()
		flags.VisitAll(func(f *flag.Flag) {
			text = strings.Replace(text, " flag -"+f.Name+":", " flag "+dashed(f.Name)+":", 1)
		})
		return errors.New(text)
	}
	if meant := meantFlag(flags, name); meant != "" {
		return fmt.Errorf("unknown flag %s: did you mean %s?", dashed(name), dashed(meant))
	}
	var known []string
	flags.VisitAll(func(f *flag.Flag) { known = append(known, dashed(f.Name)) })
	if len(known) == 0 {
		known = []string{"none"}
	}
	return fmt.Errorf("unknown flag %s: there is %s", dashed(name), strings.Join(known, ", "))
}

// dashed returns a flag as the help writes it.
func dashed(flag string) string {
	if len(flag) == 1 {
		return "-" + flag
	}
	return "--" + flag
}

// Quiet defines --quiet, which also goes by a letter.
func Quiet(flags *flag.FlagSet, quiet *bool, letter string) {
	flags.BoolVar(quiet, "quiet", false, "")
	flags.BoolVar(quiet, letter, false, "")
}
