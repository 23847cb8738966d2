package gate

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"autopilot/daemon/regular"
	"autopilot/daemon/run/cache"
	"autopilot/projections/regex"
)

// defaultPath is for clients that have no PATH, as services do.
const defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// passed are the variables that a gate gets as the client had them: who the
// user is, language, temporary directory, certificates, registries, and where
// toolchains are.
var passed = wordSet(`
	USER LOGNAME LANG LANGUAGE TZ TMPDIR
	SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE CURL_CA_BUNDLE
	PIP_INDEX_URL PIP_EXTRA_INDEX_URL NPM_CONFIG_REGISTRY npm_config_registry
	RUSTUP_TOOLCHAIN PYENV_VERSION VIRTUAL_ENV CONDA_PREFIX
	VOLTA_HOME FNM_DIR PNPM_HOME BUN_INSTALL DENO_DIR MISE_DATA_DIR SDKMAN_DIR
	JAVA_HOME JDK_HOME ANDROID_HOME ANDROID_SDK_ROOT GRADLE_HOME MAVEN_HOME M2_HOME KOTLIN_HOME
	RBENV_ROOT GEM_HOME GEM_PATH BUNDLE_PATH COMPOSER_HOME MIX_HOME HEX_HOME
	DOTNET_ROOT DEVELOPER_DIR SDKROOT CC CXX PKG_CONFIG_PATH LD_LIBRARY_PATH`)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// passedPattern are the families among them: GOFLAGS and its like (not
// GOOGLE_...), locale, cgo, proxies in both spellings.
var passedPattern = regex.New(`^(GO[A-Z0-9]+|LC_[A-Z]+|CGO_[A-Z]+|(?:http|https|ftp|no|all)_proxy|(?:HTTP|HTTPS|FTP|NO|ALL)_PROXY)$`)

// environ is a set of variables.
type environ map[string]string

// parseEnv reads NAME=VALUE; the last one of a name counts.
func parseEnv(list []string) environ {
	env := environ{}
	for _, kv := range list {
		if name, value, ok := strings.Cut(kv, "="); ok && name != "" && !strings.Contains(kv, "\x00") {
			env[name] = value
		}
	}
	return env
}

// list is the form that a process takes, sorted.
func (e environ) list() []string {
	list := make([]string, 0, len(e))
	for _, name := range slices.Sorted(maps.Keys(e)) {
		list = append(list, name+"="+e[name])
	}
	return list
}

// userHome is the HOME of the client, else that of its entry in the password
// file.
func userHome(client environ, lookup func() (string, error)) (string, error) {
	if home := client["HOME"]; filepath.IsAbs(home) {
		return home, nil
	}
	home, err := lookup()
	if err != nil {
		return "", fmt.Errorf("find the home directory: HOME is not set, and the password file does not say it: %w", err)
	}
	if !filepath.IsAbs(home) {
		return "", errors.New("find the home directory: HOME is not set, and the password file names none")
	}
	return home, nil
}

func passwdHome() (string, error) {
	u, err := user.LookupId(strconv.Itoa(os.Getuid()))
	if err != nil {
		return "", err
	}
	return u.HomeDir, nil
}

// pinnedPath are the absolute entries of a PATH, in order, each once. A relative
// one would be another directory in each place that a gate goes to.
func pinnedPath(path string) []string {
	var dirs []string
	for _, dir := range filepath.SplitList(path) {
		if dir = filepath.Clean(dir); filepath.IsAbs(dir) && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// gateEnv is the environment of a gate before gate.env.
func gateEnv(client environ, home string, r PinRequest) environ {
	env := environ{}
	for name, value := range client {
		if passed[name] || passedPattern.MatchString(name) {
			env[name] = value
		}
	}
	path := pinnedPath(client["PATH"])
	if len(path) == 0 {
		path = filepath.SplitList(defaultPath)
	}
	env["PATH"] = strings.Join(path, string(os.PathListSeparator))
	env["HOME"] = r.Home
	env["CI"] = "1"
	env["TERM"] = "dumb"
	if r.Temp != "" {
		env["TMPDIR"] = tempDir(client, r.Temp)
	}
	toolchainHomes(env, client, home, r.Cache)
	caches(env, r.Cache)
	return env
}

// tempDir is short, as paths of sockets have to be.
func tempDir(client environ, name string) string {
	if dir := client["TMPDIR"]; filepath.IsAbs(dir) {
		return filepath.Join(dir, name)
	}
	return filepath.Join("/tmp", name)
}

// toolchainHomes are where programs are installed that a gate runs: they stay
// the user's, as HOME does not. What the client does not say is where the tool
// would look, if that is there.
func toolchainHomes(env, client environ, home, cache string) {
	for _, t := range []struct{ name, below string }{
		{"RUSTUP_HOME", ".rustup"},
		{"CARGO_HOME", ".cargo"},
		{"PYENV_ROOT", ".pyenv"},
		{"NVM_DIR", ".nvm"},
		{"ASDF_DATA_DIR", ".asdf"},
	} {
		if value := client[t.name]; value != "" {
			env[t.name] = value
		} else if dir := filepath.Join(home, t.below); isDir(dir) {
			env[t.name] = dir
		}
	}
	goHomes(env, client, home, cache)
}

// goHomes leaves to the copied go env file what that says.
func goHomes(env, client environ, home, cache string) {
	written := goEnvFile(client, home)
	gopath := client["GOPATH"]
	switch {
	case gopath != "":
	case written["GOPATH"] != "":
		gopath = written["GOPATH"]
	default:
		gopath = filepath.Join(home, "go")
		if isDir(gopath) {
			env["GOPATH"] = gopath
		}
	}
	if client["GOMODCACHE"] != "" || written["GOMODCACHE"] != "" {
		return
	}
	if client["GOPATH"] == "" && written["GOPATH"] == "" && env["GOPATH"] == "" {
		env["GOMODCACHE"] = filepath.Join(cache, "gomod")
		return
	}
	first, _, _ := strings.Cut(gopath, string(os.PathListSeparator))
	if dir := filepath.Join(first, "pkg", "mod"); isDir(dir) {
		env["GOMODCACHE"] = dir
	}
}

// goEnvFile reads what "go env -w" wrote.
func goEnvFile(client environ, home string) environ {
	text, err := regular.Read(goEnvPath(client, home), copyLimit)
	if err != nil {
		return nil
	}
	return parseEnv(strings.Split(strings.ReplaceAll(string(text), "\r", ""), "\n"))
}

// cacheDirs are the variables that name a cache, and its folder.
var cacheDirs = map[string]string{
	"GOCACHE":             cache.GoBuild,
	"XDG_CACHE_HOME":      "xdg",
	"npm_config_cache":    "npm",
	"PIP_CACHE_DIR":       "pip",
	"YARN_CACHE_FOLDER":   "yarn",
	"PYTHONPYCACHEPREFIX": cache.Bytecode, // what lies beside a source may be of another one
	"GRADLE_USER_HOME":    "gradle",
	"NUGET_PACKAGES":      "nuget",
}

// caches are the daemon's own: a result that an agent planted in the user's
// cache would be believed.
func caches(env environ, dir string) {
	for name, below := range cacheDirs {
		env[name] = filepath.Join(dir, below)
	}
	// Downloads in HOME would be gone the next time.
	if env["CARGO_HOME"] == "" {
		env["CARGO_HOME"] = filepath.Join(dir, "cargo")
	}
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
