package agent

import (
	"os"
	"path/filepath"
	"runtime"
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
	folder := Lookup(env, l.home)
	if h := Lookup(env, "HOME"); h != "" {
		home = h
	}
	if folder == "" || l.home == "" {
		folder = filepath.Join(home, l.below)
	}
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

// setVariable is the name of a variable that has a value, or "".
func setVariable(env []string, key string) string {
	suffix, every := strings.CutPrefix(key, "*")
	for _, entry := range env {
		name, value, _ := strings.Cut(entry, "=")
		if value != "" && (name == key || every && strings.HasSuffix(name, suffix)) {
			return name
		}
	}
	return ""
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
