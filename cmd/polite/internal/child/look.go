package child

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// Exit statuses of a command that does not start, as shells have them.
const (
	notExecutable = 126
	notFound      = 127
)

// A StartError says why a command does not start.
type StartError struct {
	Status int // the exit status that says so: 126 or 127
	Err    error
}

func (e *StartError) Error() string { return e.Err.Error() }

// lookUp returns the path of a program, as a shell with this environment finds it. The error
// is a *StartError.
func lookUp(name string, env environment) (path string, err error) {
	if runtime.GOOS == "windows" {
		if path, err = exec.LookPath(name); err != nil {
			return "", &StartError{notFound, err}
		}
		return path, nil
	}
	if strings.Contains(name, "/") {
		return name, executable(name)
	}
	missing := error(&StartError{notFound, fmt.Errorf("%s: there is no such command", name)})
	for _, folder := range filepath.SplitList(env.get("PATH")) {
		if folder == "" {
			folder = "." // as POSIX has it
		}
		path := filepath.Join(folder, name)
		if !filepath.IsAbs(path) {
			path = "./" + path
		}
		err := executable(path)
		if err == nil {
			return path, nil
		}
		if start, ok := errors.AsType[*StartError](err); ok && start.Status == notExecutable {
			missing = err
		}
	}
	return "", missing
}

// executable returns why a file cannot be executed, or nil.
func executable(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &StartError{notFound, fmt.Errorf("%s: there is no such file", path)}
	case err != nil:
		return &StartError{notExecutable, err}
	case info.IsDir():
		return &StartError{notExecutable, fmt.Errorf("%s is a folder", path)}
	case info.Mode()&0o111 == 0:
		return &StartError{notExecutable, fmt.Errorf("%s is not executable: chmod +x makes it so", path)}
	default:
		return nil
	}
}
