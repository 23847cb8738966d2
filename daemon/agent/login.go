package agent

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// The states of a login. Values of variables and contents of files are never
// looked at, beyond whether there are any.
const (
	LoginKey     = "key"     // by a variable
	LoginAccount = "account" // by a file of credentials
	LoginNone    = "none"
	LoginUnknown = "unknown" // it may be in a keychain or in settings
)

// login says where a program finds who it is.
type login struct {
	keys     []string // variables; *X is any whose name ends so
	home     string   // variable that names its folder
	below    string   // its folder below HOME, without that variable
	files    []string // of credentials, below the folder
	settings []string // which may name another provider
	keychain bool     // on macOS credentials are not in files
	fix      string
}

// state looks for a login with the environment of an agent. Home is used
// without HOME.
func (l login) state(env []string, home string) (state, from string) {
	for _, key := range l.keys {
		if name := setVariable(env, key); name != "" {
			return LoginKey, name
		}
	}
	home, folder := l.folder(env, home)
	if file := firstFile(home, folder, l.files); file != "" {
		return LoginAccount, file
	}
	if file := firstFile(home, folder, l.settings); file != "" {
		return LoginUnknown, file
	}
	if l.keychain && runtime.GOOS == "darwin" {
		return LoginUnknown, "keychain"
	}
	return LoginNone, ""
}

// folder is where the program looks for its login, and the home of its user.
func (l login) folder(env []string, home string) (string, string) {
	if h := Lookup(env, "HOME"); h != "" {
		home = h
	}
	if l.home != "" {
		if folder := Lookup(env, l.home); folder != "" {
			return home, folder
		}
	}
	return home, filepath.Join(home, l.below)
}

// setVariable is the name of a variable that has a value, or "".
func setVariable(env []string, key string) string {
	if names := setVariables(env, key); len(names) > 0 {
		return names[0]
	}
	return ""
}

// setVariables are the variables of that name that have a value, in order of
// their names: at most one, but for *X, which is any whose name ends so.
func setVariables(env []string, key string) []string {
	suffix, every := strings.CutPrefix(key, "*")
	var names []string
	for _, entry := range env {
		name, _, _ := strings.Cut(entry, "=")
		if (name == key || every && strings.HasSuffix(name, suffix)) && Lookup(env, name) != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// firstFile is the first that is there and not empty, in folder or, as ~/name,
// in home.
func firstFile(home, folder string, names []string) string {
	for _, name := range names {
		file := filepath.Join(folder, name)
		if below, ok := strings.CutPrefix(name, "~/"); ok {
			file = filepath.Join(home, below)
		}
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Size() > 0 {
			return file
		}
	}
	return ""
}
