package verb

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
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

// ParseCommand is Parse for a verb whose arguments are a command. The flags after its name
// are the command's own.
func ParseCommand(flags *flag.FlagSet, args []string) (command []string, err error) {
	for i := 0; i < len(args) && args[i] != "--"; i++ {
		if !strings.HasPrefix(args[i], "-") {
			args = slices.Insert(slices.Clone(args), i, "--")
			break
		}
		parts := letters(flags, args[i])
		if needsValue(flags, parts[len(parts)-1]) {
			i++
		}
	}
	return Parse(flags, args)
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

// Time defines a flag whose value is a time: seconds, as in 10 or 0.5, or a duration with
// its unit, as in 2m.
func Time(flags *flag.FlagSet, name string, t *time.Duration) {
	flags.Func(name, "", func(value string) error {
		d, err := time.ParseDuration(value)
		if _, number := strconv.ParseFloat(value, 64); number == nil {
			d, err = time.ParseDuration(value + "s")
		}
		if err != nil || d <= 0 {
			return errors.New("write seconds, as in 10, or a time with its unit, as in 2m")
		}
		*t = d
		return nil
	})
}
