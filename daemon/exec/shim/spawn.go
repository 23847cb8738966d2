package shim

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"autopilot/daemon/exec/confine"
	"autopilot/daemon/exec/proc"
	"autopilot/daemon/exec/redact"
)

// spawn starts the program and the readers of its output.
func (s *supervisor) spawn() error {
	path, err := resolve(s.spec)
	if err != nil {
		return err
	}
	if err := checkDir(s.spec.Dir); err != nil {
		return err
	}
	files, err := s.stdio()
	defer func() {
		for _, fd := range files {
			unix.Close(int(fd))
		}
	}()
	if err == nil {
		err = prepare()
	}
	if err == nil {
		s.start = readClocks()
		err = s.launch(path, stdioOf(files))
	}
	// Now that the program runs: it takes a tenth of a millisecond.
	set := redact.Compile(s.spec.Secrets)
	for _, p := range s.pipes {
		go s.drain(p, set)
	}
	return err
}

// launch starts the program, confined if the spec says so.
func (s *supervisor) launch(path string, files []uintptr) (err error) {
	if s.spec.Confine != nil {
		var lacking []confine.Gap
		s.child, lacking, err = confine.Start(*s.spec.Confine, confine.Program{
			Exe: confine.Own, Path: path, Argv: s.spec.Argv, Dir: s.spec.Dir, Env: s.spec.Env, Files: files,
			Marker: proc.EffectVariable + "=" + s.spec.ID, Attributes: attributes(), Fork: s.fork,
		})
		s.exit.SetLacking(lacking)
		return err
	}
	s.child, err = s.fork(path, s.spec.Argv, &syscall.ProcAttr{
		Dir: s.spec.Dir, Env: s.spec.Env, Files: files, Sys: attributes(),
	})
	if err != nil {
		return fmt.Errorf("start %s: %w", path, err)
	}
	return nil
}

// stdio opens the descriptors for the program: stdin and one or two outputs.
// Those that were opened are returned also with an error.
func (s *supervisor) stdio() ([]uintptr, error) {
	stdin := s.spec.Stdin
	if stdin == "" {
		stdin = os.DevNull
	}
	fd, err := unix.Open(stdin, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open stdin %s: %w", stdin, err)
	}
	files := []uintptr{uintptr(fd)}
	names := []string{Merged}
	if s.spec.Split {
		names = []string{Stdout, Stderr}
	}
	for _, name := range names {
		fd, err := s.openPipe(name)
		if err != nil {
			return files, err
		}
		files = append(files, uintptr(fd))
	}
	return files, nil
}

// stdioOf gives the one output to both streams unless there are two.
func stdioOf(files []uintptr) []uintptr {
	if len(files) == 2 {
		return []uintptr{files[0], files[1], files[1]}
	}
	return files
}

func checkDir(dir string) error {
	if !filepath.IsAbs(dir) {
		return fmt.Errorf("directory %q is not absolute", dir)
	}
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("directory %s does not exist", dir)
	}
	if err != nil {
		return fmt.Errorf("directory: %w", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a directory", dir)
	}
	return nil
}

// resolve finds the program. A name without a slash is looked up on the PATH
// of the program's own environment; relative entries there are passed over, as
// they would let a workspace put a program in front.
func resolve(s Spec) (string, error) {
	if len(s.Argv) == 0 || s.Argv[0] == "" {
		return "", errors.New("no program")
	}
	for _, word := range s.Argv {
		if strings.IndexByte(word, 0) >= 0 {
			return "", errors.New("a word of the command holds a NUL byte")
		}
	}
	name := s.Argv[0]
	if strings.Contains(name, "/") {
		return name, nil
	}
	path := variable(s.Env, "PATH")
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		file := filepath.Join(dir, name)
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && unix.Access(file, unix.X_OK) == nil {
			return file, nil
		}
	}
	return "", fmt.Errorf("%s was not found on the PATH %q", name, path)
}

// variable is the last value of a name in an environment, as programs see it.
func variable(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(env[i], name+"="); ok {
			return v
		}
	}
	return ""
}
