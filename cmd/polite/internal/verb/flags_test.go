package verb

import (
	"flag"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// parsed returns what flags like those of check make of args: the flags that were given,
// and the other arguments.
func parsed(args string) (given string, err error) {
	flags := flag.NewFlagSet("check", flag.ContinueOnError)
	var all []string
	note := func(name string) func(string) error {
		return func(value string) error { all = append(all, name+"="+value); return nil }
	}
	for _, name := range []string{"A", "f", "o", "color", "timeout"} {
		flags.Func(name, "", note(name))
	}
	for _, name := range []string{"v", "s", "I", "json", "quiet"} {
		flags.BoolFunc(name, "", note(name))
	}
	rest, err := Parse(flags, strings.Fields(args))
	return strings.Join(append(all, rest...), " "), err
}

func TestParse(t *testing.T) {
	for args, want := range map[string]string{
		"-v -A a x":          "v=true A=a x",
		"-vA a x":            "v=true A=a x",
		"-vAGPTBot x":        "v=true A=GPTBot x",
		"-Aa,b":              "A=a,b",
		"-A-v x":             "A=-v x",
		"-A=a -s":            "A=a s=true",
		"-A -vs x":           "A=-vs x",
		"x -sI y -v":         "s=true I=true v=true x y",
		"-f - -v":            "f=- v=true",
		"-vf-":               "v=true f=-",
		"-json --json":       "json=true json=true",
		"--color=x":          "color=x",
		"--color -vs":        "color=-vs",
		"-v -- -sI":          "v=true -sI",
		"- -v":               "v=true -",
		"-A https://a/?b=-c": "A=https://a/?b=-c",
	} {
		got, err := parsed(args)
		require.NoError(t, err, args)
		assert.Equal(t, want, got, args)
	}
}

// The flags of a command are left to it.
func TestParseCommand(t *testing.T) {
	for args, want := range map[string]string{
		"curl -s x":         "curl -s x",
		"-vA a curl -A b x": "v=true A=a curl -A b x",
		"-vAa curl":         "v=true A=a curl",
		"-A=a -- -x --":     "A=a -x --",
		"-A -- curl -v":     "A=-- curl -v",
		"-A a --":           "A=a",
		"-v":                "v=true",
	} {
		flags := flag.NewFlagSet("run", flag.ContinueOnError)
		var all []string
		flags.Func("A", "", func(value string) error { all = append(all, "A="+value); return nil })
		flags.BoolFunc("v", "", func(value string) error { all = append(all, "v="+value); return nil })
		command, err := ParseCommand(flags, strings.Fields(args))
		require.NoError(t, err, args)
		assert.Equal(t, want, strings.Join(append(all, command...), " "), args)
	}
}

// What was meant by a flag that does not exist.
func TestParseUnknown(t *testing.T) {
	const list = "there is -A, -I, --color, -f, --json, -o, --quiet, -s, --timeout, -v"
	for args, want := range map[string]string{
		"--agent a":      "unknown flag --agent: did you mean -A?",
		"--user-agent=a": "unknown flag --user-agent: did you mean -A?",
		"-agent a":       "unknown flag --agent: did you mean -A?",
		"--file x":       "unknown flag --file: did you mean -f?",
		"-file x":        "unknown flag --file: did you mean -f?",
		"-output x":      "unknown flag --output: did you mean -o?",
		"-output=x":      "unknown flag --output: did you mean -o?",
		"--max-time 1":   "unknown flag --max-time: did you mean --timeout?",
		"--jsno":         "unknown flag --jsno: did you mean --json?",
		"--no-color":     "unknown flag --no-color: did you mean --color?",
		"--headers":      "unknown flag --headers: " + list,
		"-vx":            "unknown flag --vx: " + list,
		"-x":             "unknown flag -x: " + list,
		"-vA":            "flag needs an argument: -A",
	} {
		_, err := parsed(args)
		require.Error(t, err, args)
		assert.Equal(t, want, err.Error(), args)
	}
}

func TestFindMeant(t *testing.T) {
	verbs := []Verb{{Name: "get"}, {Name: "check"}, {Name: "lint"}}
	for name, want := range map[string]string{
		"test": "check", "allowed": "check", "validate": "lint", "verify": "lint", "fetch": "get", "curl": "get", "chekc": "check",
	} {
		_, err := Find(verbs, name)
		m, ok := err.(misuse)
		require.True(t, ok, name)
		assert.Contains(t, m.hint, `Did you mean "`+want+`"?`, name)
	}
}
