package rule

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"autopilot/projections/regex"
)

// testRunners run the files that they are given as tests.
var testRunners = wordSet(`pytest py.test unittest nose2 trial green jest vitest mocha ava tap tape bats rspec phpunit pest prove ctest busted
	minitest testem karma playwright cypress nightwatch cucumber behave robot newman hurl venom shellspec roundup`)

// configOptions are the options of programs that name a file which configures
// or is loaded into them.
var configOptions = map[string][]string{
	"pytest":     {"-c", "--config-file", "--rootdir", "--confcutdir", "--inifile"},
	"jest":       {"-c", "--config", "--setupFiles", "--setupFilesAfterEnv", "--globalSetup", "--preset", "--runner", "--testRunner"},
	"vitest":     {"-c", "--config", "--globalSetup"},
	"mocha":      {"--config", "-r", "--require", "--file", "--package", "--opts", "--import"},
	"ava":        {"--config"},
	"tap":        {"--tap-rcfile"},
	"c8":         {"-c", "--config"},
	"nyc":        {"--nycrc-path", "-r", "--require"},
	"node":       {"-r", "--require", "--import", "--loader", "--experimental-loader", "--env-file", "--test-reporter"},
	"ts-node":    {"-P", "--project", "-r", "--require"},
	"tsx":        {"--tsconfig", "--import", "-r", "--require"},
	"playwright": {"-c", "--config"}, "cypress": {"-C", "--config-file"}, "karma": {"start"},
	"tox": {"-c", "--conf"}, "nox": {"-f", "--noxfile"}, "nose2": {"-c", "--config"}, "coverage": {"--rcfile"},
	"rspec": {"-r", "--require", "-O", "--options", "-I"}, "ruby": {"-r"}, "rake": {"-r"},
	"phpunit": {"-c", "--configuration", "--bootstrap"}, "php": {"-c", "-d"},
	"cargo": {"--config", "--manifest-path"}, "go": {"-modfile", "-overlay", "-exec", "-toolexec", "-C"},
	"golangci-lint": {"-c", "--config"}, "eslint": {"-c", "--config"}, "ruff": {"--config"}, "flake8": {"--config"}, "mypy": {"--config-file"}, "tsc": {"-p", "--project"},
	"gradle": {"-b", "-c", "-I", "--init-script"}, "mvn": {"-f", "-s", "--file"}, "ctest": {"-S", "--test-dir"}, "shellcheck": {"--rcfile"}, "docker": {"-f"}, "bats": {},
}

// tool pins what a known program is given or looks for.
func (f *follower) tool(w *shellWalk, c shellCall) {
	name := interpreter(c.words[0])
	if name == "py.test" {
		name = "pytest"
	}
	for _, v := range optionValues(c.words, configOptions[name]) {
		f.option(w, v)
	}
	switch {
	case testRunners[name]:
		f.tests(w, name, c.words[1:])
	case (name == "node" || name == "deno" || name == "bun") && (slices.Contains(c.words, "--test") || slices.Contains(c.words, "test")):
		f.tests(w, name, c.words[1:])
	}
	switch name {
	case "pytest", "unittest":
		f.python(w, c.words)
	case "cargo":
		f.cargo(w)
	case "vitest":
		f.vite(w)
	case "jest", "mocha", "ava", "node", "tap", "tape":
		for _, dir := range w.dirs {
			if at := f.nearest(dir); at != "" && name != "node" {
				f.pkg(at, nil)
			}
		}
	case "composer":
		if len(c.words) > 1 {
			f.manifests(w, "composer.json")
		}
	case "go":
		f.generated(w, c.words)
	}
}

// option pins a file that an option names; of a module of Python its file.
func (f *follower) option(w *shellWalk, value string) {
	value, _, _ = strings.Cut(value, "::")
	for _, p := range within(w.dirs, value, f.src.Root) {
		if f.src.exists(p) && path.Base(p) != "package.json" && path.Base(p) != "go.mod" && path.Base(p) != "Cargo.toml" {
			f.pin(p, Why{Kind: WhyConfig, By: f.by.By})
		}
	}
}

func (f *follower) manifests(w *shellWalk, names ...string) {
	for _, p := range existing(w.dirs, names, f.src.exists) {
		f.pins.Manifests = append(f.pins.Manifests, "/"+escapeGlob(p))
	}
}

// tests pins files that a runner of tests is given: a path, one with a test
// behind it, a module of Python, or a folder, of which its tests are pinned by
// their names anyway.
func (f *follower) tests(w *shellWalk, name string, words []string) {
	ops, _ := operands(words, "")
	for _, o := range ops {
		o, _, _ = strings.Cut(o, "::")
		tries := []string{o}
		if at := strings.LastIndex(o, ":"); at > 0 {
			tries = append(tries, o[:at])
		}
		if name == "unittest" && !strings.ContainsAny(o, "/*") {
			tries = append(tries, modulePaths(o)...)
		}
		for _, try := range tries {
			f.testFile(w, try)
		}
	}
}

func (f *follower) testFile(w *shellWalk, name string) {
	if name == "" {
		return
	}
	for _, p := range within(w.dirs, name, f.src.Root) {
		switch {
		case strings.ContainsAny(p, "*?"):
			for _, found := range f.src.glob(p) {
				f.pin(found, Why{Kind: WhyGate, By: f.by.By})
			}
		case f.src.exists(p):
			f.pin(p, Why{Kind: WhyGate, By: f.by.By})
		}
	}
}

// modulePaths are the files of a module of Python, or of what it is in.
func modulePaths(module string) []string {
	var out []string
	parts := strings.Split(module, ".")
	for n := len(parts); n > 0 && n > len(parts)-3; n-- {
		base := strings.Join(parts[:n], "/")
		out = append(out, base+".py", base+"/__init__.py")
	}
	return out
}

var pythonFiles = regex.New(`(?m)^\s*python_files\s*=\s*((?:.*)(?:\n[ \t]+\S.*)*)`)

// python pins what pytest and unittest collect beside the usual names, and the
// files of configuration that would go before the one that is there.
func (f *follower) python(w *shellWalk, words []string) {
	for _, v := range optionValues(words, []string{"-p", "--pattern"}) {
		if strings.ContainsAny(v, "*?") {
			f.pins.Globs = append(f.pins.Globs, v)
			continue
		}
		for _, p := range existing(w.dirs, modulePaths(v), f.src.exists) {
			if v != "" {
				f.pin(p, Why{Kind: WhyConfig, By: f.by.By})
			}
		}
	}
	order := []string{"pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg"}
	for _, dir := range w.dirs {
		for i, name := range order {
			p := path.Join(dir, name)
			text := string(f.src.read(p))
			if i > 1 && !strings.Contains(text, "pytest") || !f.src.exists(p) {
				continue
			}
			for _, before := range order[:min(i, 2)] {
				f.pins.Absent = append(f.pins.Absent, path.Join(dir, before))
			}
			if m := pythonFiles.FindStringSubmatch(text); m != nil {
				for _, g := range strings.FieldsFunc(m[1], func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`"'[],`, r) }) {
					if strings.HasSuffix(g, ".py") && !strings.HasPrefix(g, "*.") && CheckGlobs([]string{g}) == nil {
						f.pins.Globs = append(f.pins.Globs, g)
					}
				}
			}
			break
		}
	}
}

// cargo pins configuration that steers it: changed, or a second one beside it.
func (f *follower) cargo(w *shellWalk) {
	for _, dir := range w.dirs {
		for d := dir; ; d = path.Dir(d) {
			old, now := path.Join(d, ".cargo/config"), path.Join(d, ".cargo/config.toml")
			if f.src.exists(now) || f.src.exists(old) {
				f.pins.Absent = append(f.pins.Absent, old)
			}
			if d == "." || d == "" {
				break
			}
		}
	}
}

// vite: where vitest has no configuration of its own, it reads that of vite.
func (f *follower) vite(w *shellWalk) {
	for _, dir := range w.dirs {
		if at := f.nearest(dir); at != "" {
			f.pkg(at, nil)
			dir = path.Dir(at)
		}
		vite := existing([]string{dir}, []string{"vite.config.ts", "vite.config.js", "vite.config.mts", "vite.config.mjs"}, f.src.exists)
		for _, p := range vite {
			f.pins.Manifests = append(f.pins.Manifests, "/"+escapeGlob(p))
			f.loads(p, dir, viteTest(f.src.read(p)))
			f.pins.Absent = append(f.pins.Absent, missingFiles(dir, nodeRivals["vitest"], f.src.exists)...)
		}
	}
}

// generated follows go generate no further: it writes the product.
func (f *follower) generated(w *shellWalk, words []string) {
	if len(words) > 2 && words[1] == "run" {
		for _, o := range words[2:] {
			for _, p := range within(w.dirs, o, f.src.Root) {
				if strings.HasSuffix(p, ".go") && f.src.exists(p) && f.level > 0 && testWord(p) {
					f.pin(p, Why{WhyRun, f.by.By})
				}
			}
		}
	}
}

var testWords = wordSet(`test tests testing tester testcase testcases testutil testutils testutilities testhelper testhelpers testlib testkit
	check checks checker verify verifier lint spec specs assert asserts assertion assertions expect expects expectation expectations
	helper helpers fixture fixtures mock mocks stub stubs fake fakes matcher matchers validate smoke e2e integration acceptance ci conformance selftest`)

// testWord reports whether a path says that it is about tests.
func testWord(name string) bool {
	for _, w := range pathWords(strings.TrimSuffix(name, path.Ext(name))) {
		if testWords[w] {
			return true
		}
	}
	return false
}

// pathWords are the words of a path, in lower case: "runTests_all" has run, tests
// and all.
func pathWords(name string) []string {
	var out []string
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			out = append(out, strings.ToLower(b.String()))
			b.Reset()
		}
	}
	lower := false
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush()
			lower = false
			continue
		case unicode.IsUpper(r) && lower:
			flush()
		}
		lower = unicode.IsLower(r) || unicode.IsDigit(r)
		b.WriteRune(r)
	}
	flush()
	return out
}
