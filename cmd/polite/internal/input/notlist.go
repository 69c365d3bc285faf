package input

import (
	"fmt"
	"os"

	"github.com/go-polite/polite/cmd/polite/internal/verb"
)

// NotList returns err, the error of an argument that is no URL. If the argument is a file,
// it says how to name it instead, with "%s" for the file.
func NotList(arg string, err error, instead string) error {
	info, statErr := os.Stat(arg)
	if err == nil || statErr != nil || info.IsDir() {
		return err
	}
	return fmt.Errorf("%q is a file: "+instead, verb.Shown(arg), verb.Shown(arg))
}
