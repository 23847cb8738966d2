package rule

import (
	"maps"
	"slices"
	"testing"
)

func defaults() Pins { return Pins{Globs: DefaultPins(), Manifests: DefaultManifests()} }

func TestDefaultPinsHoldTheTestsOfEachLanguage(t *testing.T) {
	t.Parallel()
	pins := defaults()
	if err := CheckGlobs(slices.Concat(DefaultPins(), DefaultManifests())); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"a_test.go", "x/y/a_test.go", "x/testdata/in.txt", "testdata/deep/er/in.txt",
		"tests/helper.py", "pkg/test_a.py", "pkg/a_test.py", "conftest.py", "x/conftest.py", "pytest.ini", "tox.ini",
		"src/a.test.ts", "src/a.spec.jsx", "src/__tests__/a.js", "jest.config.cjs", "vitest.config.mts", "src/__snapshots__/a.snap", "cypress.config.ts", "e2e/login.ts",
		"tests/it.rs", "crates/x/tests/common/mod.rs", ".config/nextest.toml",
		"src/test/java/a/B.java", "app/src/androidTest/B.kt", "src/main/java/a/BTest.java",
		"spec/a_spec.rb", "spec/spec_helper.rb", "test/a_test.rb", ".rspec", "spec/support/x.rb",
		"tests/ATest.php", "phpunit.xml", "phpunit.xml.dist",
		"Lib.Tests/Helper.cs", "src/Lib.Tests/Deep/Helper.cs", "LibTests.cs", "a.runsettings",
		"Tests/LibTests/A.swift", "a/LibTests.swift",
		"test/a_test.exs", "test/test_helper.exs",
		"test/a.bats", "a.bats", "x/fixtures/data.json", "x/snapshots/a.png", "out.golden",
	} {
		if !pins.Pinned(name) {
			t.Errorf("%s is not pinned", name)
		}
	}
	for _, name := range []string{
		"main.go", "testing.go", "attest.go", "contest.py", "latest.js", "go.mod", "go.sum", "requirements.txt",
		"src/lib.rs", "src/main/java/a/B.java", "app/models.rb", "README.md", "package.json", "Makefile", "testify/x.go",
		"tests/__pycache__/test_a.cpython-311.pyc", "tests/__pycache__/test_a.cpython-311.opt-1.pyc.123", "tests/old.pyc", "__pycache__/conftest.cpython-311-pytest-8.pyc",
		".autopilot/config.yaml", ".autopilot/workflows/a.test.ts", ".autopilot/notes/test_a.py",
	} {
		if pins.pinned(name) {
			t.Errorf("%s is pinned", name)
		}
	}
}

// Whatever way an agent takes to change a test, it is named.
func TestFR65EveryWayToTouchAPinIsAViolation(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		changes []Change
		pins    Pins
		want    []string
	}{
		{"changed", []Change{{Path: "a_test.go", Kind: Changed}}, defaults(), []string{"a_test.go"}},
		{"removed", []Change{{Path: "a_test.go", Kind: Removed}}, defaults(), []string{"a_test.go"}},
		{"renamed away", []Change{{Path: "a.txt", Kind: Renamed, From: "a_test.go"}}, defaults(), []string{"a_test.go"}},
		{"renamed into a pin is an addition", []Change{{Path: "b_test.go", Kind: Renamed, From: "b.go"}}, defaults(), nil},
		{"replaced", []Change{{Path: "testdata/x", Kind: Replaced}}, defaults(), []string{"testdata/x"}},
		{"added", []Change{{Path: "b_test.go", Kind: Added}}, defaults(), nil},
		{"added, denied", []Change{{Path: "b_test.go", Kind: Added}, {Path: "b.go", Kind: Added}}, Pins{Globs: DefaultPins(), DenyAdditions: true}, []string{"b_test.go"}},
		{"product code", []Change{{Path: "a.go", Kind: Changed}, {Path: "b.go", Kind: Removed}}, defaults(), nil},
		{"protected by the user", []Change{{Path: "api/v1.proto", Kind: Changed}}, Pins{Protect: []string{"api"}}, []string{"api/v1.proto"}},
		{"anchored", []Change{{Path: "x/VERSION", Kind: Changed}, {Path: "VERSION", Kind: Changed}}, Pins{Protect: []string{"/VERSION"}}, []string{"VERSION"}},
		{"allowed again", []Change{{Path: "a_test.go", Kind: Changed}, {Path: "x/a_test.go", Kind: Changed}}, Pins{Globs: DefaultPins(), Allow: []string{"x/**"}}, []string{"a_test.go"}},
		{"all allowed", []Change{{Path: "a_test.go", Kind: Removed}, {Path: "check.sh", Kind: Changed}}, Pins{Globs: DefaultPins(), Paths: []string{"check.sh"}, Allow: []string{"**"}}, nil},
		{"project folder", []Change{{Path: ".autopilot/config.yaml", Kind: Changed}}, Pins{Protect: []string{"**"}}, nil},
		{"a gate's script in the project folder", []Change{{Path: ".autopilot/check.sh", Kind: Changed}}, Pins{Paths: []string{".autopilot/check.sh"}}, []string{".autopilot/check.sh"}},
		{"sorted, once", []Change{{Path: "b_test.go", Kind: Removed}, {Path: "a_test.go", Kind: Changed}, {Path: "c", Kind: Renamed, From: "b_test.go"}}, defaults(), []string{"a_test.go", "b_test.go"}},
		{"a manifest without contents", []Change{{Path: "x/pyproject.toml", Kind: Changed}}, defaults(), []string{"x/pyproject.toml"}},
		{"a manifest that is gone", []Change{{Path: "setup.cfg", Kind: Removed}}, defaults(), []string{"setup.cfg"}},
		{"a dependency", []Change{{Path: "Cargo.toml", Kind: Changed, Old: []byte("[dependencies]\na = 1\n"), New: []byte("[dependencies]\na = 2\n")}}, defaults(), nil},
		{"tests switched off", []Change{{Path: "Cargo.toml", Kind: Changed, Old: []byte("[lib]\nname = \"a\"\n"), New: []byte("[lib]\nname = \"a\"\ntest = false\n")}}, defaults(), []string{"Cargo.toml"}},
		{"nothing", nil, defaults(), nil},
	} {
		equal(t, c.name, Violations(c.changes, c.pins), c.want)
	}
}

func TestCheckGlobsRefusesWhatMatchesNothing(t *testing.T) {
	t.Parallel()
	for _, g := range []string{"", "  ", "[", "a{b", "x/[z-"} {
		if CheckGlobs([]string{"ok", g}) == nil {
			t.Errorf("%q is accepted", g)
		}
	}
}

func TestPackageJSONIsPinnedOnlyWhereItSteersTests(t *testing.T) {
	t.Parallel()
	const base = `{"name":"a","scripts":{"test":"jest","build":"tsc"},"jest":{"bail":1},"dependencies":{"x":"1"}}`
	for name, c := range map[string]struct {
		is   string
		want bool
	}{
		"same":                        {base, false},
		"order and spaces":            {"{ \"jest\": {\"bail\": 1.0},\n\"scripts\":{\"build\":\"tsc\",\"test\":\"jest\"}}", false},
		"dependency":                  {`{"name":"b","scripts":{"test":"jest","build":"tsc"},"jest":{"bail":1},"dependencies":{"x":"2","y":"1"}}`, false},
		"script":                      {`{"scripts":{"test":"true","build":"tsc"},"jest":{"bail":1}}`, true},
		"another script":              {`{"scripts":{"test":"jest","build":"vite build"},"jest":{"bail":1}}`, false},
		"new script":                  {`{"scripts":{"test":"jest","build":"tsc","dev":"vite"},"jest":{"bail":1}}`, false},
		"a script that is gone":       {`{"scripts":{"build":"tsc"},"jest":{"bail":1}}`, true},
		"before the test":             {`{"scripts":{"test":"jest","build":"tsc","pretest":"rm x"},"jest":{"bail":1}}`, true},
		"after the test":              {`{"scripts":{"test":"jest","build":"tsc","posttest":"true"},"jest":{"bail":1}}`, true},
		"jest":                        {`{"scripts":{"test":"jest","build":"tsc"},"jest":{"bail":1,"testPathIgnorePatterns":["."]}}`, true},
		"jest gone":                   {`{"scripts":{"test":"jest","build":"tsc"}}`, true},
		"new runner":                  {`{"scripts":{"test":"jest","build":"tsc"},"jest":{"bail":1},"mocha":{}}`, true},
		"a folder for a module":       {`{"scripts":{"test":"jest","build":"tsc"},"jest":{"bail":1},"dependencies":{"x":"file:./x"}}`, true},
		"an override":                 {`{"scripts":{"test":"jest","build":"tsc"},"jest":{"bail":1},"overrides":{"jest":"file:./x"}}`, true},
		"an override, version":        {`{"scripts":{"test":"jest","build":"tsc"},"jest":{"bail":1},"overrides":{"z":"2.0.1"}}`, false},
		"unreadable":                  {`{`, true},
		"a name given twice":          {`{"scripts":{"test":"jest","build":"tsc"},"scripts":{},"jest":{"bail":1}}`, true},
		"empty":                       {``, true},
		"of some other kind":          {`[]`, true},
		"a comment is not valid JSON": {"// x\n" + base, true},
		"trailing text is none":       {base + "x", true},
	} {
		pins := defaults().With(gatePins([]Command{{Text: "npm test"}}, map[string]string{"package.json": base}))
		got := Violations([]Change{{Path: "package.json", Kind: Changed, Old: []byte(base), New: []byte(c.is)}}, pins)
		equal(t, name, len(got) > 0, c.want)
	}
}

func TestPyprojectIsPinnedOnlyWhereItSteersTests(t *testing.T) {
	t.Parallel()
	const base = "[project]\nname = \"a\"\ndependencies = [\n  \"x\",\n]\n\n[tool.pytest.ini_options]\naddopts = [\n  \"-q\", # quiet\n]\n[tool.black]\nline-length = 80\n"
	change := func(is string) []string {
		return Violations([]Change{{Path: "pyproject.toml", Kind: Changed, Old: []byte(base), New: []byte(is)}}, defaults())
	}
	for name, is := range map[string]string{
		"dependency": "[project]\nname = \"a\"\ndependencies = [\n  \"x\", \"y\",\n]\n\n[tool.pytest.ini_options]\naddopts = [\n  \"-q\", # quiet\n]\n[tool.black]\nline-length = 80\n",
		"other tool": "[tool.pytest.ini_options]\n\naddopts = [\n  \"-q\", # quiet\n]\n[tool.black]\nline-length = 99\n",
	} {
		equal(t, name, change(is), []string(nil))
	}
	for name, is := range map[string]string{
		"option":       "[tool.pytest.ini_options]\naddopts = [\n  \"-q\", \"--co\",\n]\n",
		"section gone": "[project]\nname = \"a\"\n",
		"dotted key":   base + "[tool]\npytest.ini_options.testpaths = []\n",
		"quoted":       base + "[tool.\"pytest\".x]\ny = 1\n",
		"coverage":     base + "[tool.coverage.run]\nomit = [\"*\"]\n",
	} {
		equal(t, name, change(is), []string{"pyproject.toml"})
	}
}

func TestGatePinsHoldWhatCommandsRun(t *testing.T) {
	t.Parallel()
	tree := []string{
		"check.sh", "scripts/x.py", "foo.sh", "t.py", "src/main.py", "app.js", "lib.sh", "Makefile", "sub/Makefile", "sub/run.sh", "ci.mk",
		"package.json", "web/package.json", "justfile", "Rakefile", "a[1].sh", "tools/gen.go", "data.txt", ".autopilot/check.sh", "tests/t.bats",
	}
	files := map[string]string{}
	for _, name := range tree {
		files[name] = ""
	}
	text := func(s string) Command { return Command{Text: s} }
	for _, c := range []struct {
		name  string
		cmd   Command
		paths []string
		parts []string
	}{
		{"script", text("./check.sh --fast"), []string{"check.sh"}, nil},
		{"script in a folder", text("scripts/x.py src/main.py"), []string{"scripts/x.py"}, nil},
		{"shell", text("sh foo.sh data.txt"), []string{"foo.sh"}, nil},
		{"python", text("python3.11 -u t.py src/main.py"), []string{"t.py"}, nil},
		{"argv", Command{Argv: []string{"python", "t.py"}}, []string{"t.py"}, nil},
		{"argv is not shell text", Command{Argv: []string{"echo", "sh foo.sh"}}, nil, nil},
		{"module", text("python -m mypy src/main.py"), nil, nil},
		{"a reader pins nothing", text("grep -q x data.txt && cat src/main.py"), nil, nil},
		{"several", text("set -e; . ./lib.sh; ./check.sh | tee out || (sh foo.sh)"), []string{"check.sh", "foo.sh", "lib.sh"}, nil},
		{"in a substitution", text(`test "$(python t.py)" = ok`), []string{"t.py"}, nil},
		{"quoted", text(`'./check.sh' "$X"`), []string{"check.sh"}, nil},
		{"behind wrappers", text("env A=1 timeout -k 5 60 ./check.sh"), []string{"check.sh"}, nil},
		{"sh -c", text("bash -ec 'cd sub && ./run.sh'"), []string{"sub/run.sh"}, nil},
		{"make", text("make -j4 test"), nil, []string{"Makefile"}},
		{"make elsewhere", text("make -C sub test"), nil, []string{"sub/Makefile"}},
		{"make with a file", text("make -f ci.mk test"), nil, []string{"ci.mk"}},
		{"after cd", text("cd sub && make"), nil, []string{"sub/Makefile"}},
		{"after cd in a subshell", text("(cd sub && make); make"), nil, []string{"Makefile", "sub/Makefile"}},
		{"perhaps after cd", text("cd $X || cd sub; make"), nil, []string{"Makefile", "sub/Makefile"}},
		{"just", text("just test"), nil, []string{"justfile"}},
		{"rake", text("rake"), nil, []string{"Rakefile"}},
		{"go run", text("go run tools/gen.go"), []string{"tools/gen.go"}, nil},
		{"go test names no script", text("go test ./..."), nil, nil},
		{"npm", text("npm test"), nil, []string{"package.json"}},
		{"npx", text("npx vitest run"), nil, []string{"package.json"}},
		{"npm elsewhere", text("cd web; npm run test:unit"), nil, []string{"package.json", "web/package.json"}},
		{"npm --prefix", text("npm --prefix=web test"), nil, []string{"package.json", "web/package.json"}},
		{"bats", text("bats tests/t.bats"), []string{"tests/t.bats"}, nil},
		{"not there yet", text("./bin/app --selftest"), nil, nil},
		{"outside", text("sh ../check.sh; /usr/bin/env true"), nil, nil},
		{"project folder", text("sh .autopilot/check.sh"), []string{".autopilot/check.sh"}, nil},
		{"glob characters", text(`sh 'a[1].sh'`), []string{"a[1].sh"}, nil},
		{"unparsable", text("if then ("), nil, nil},
		{"empty", text(""), nil, nil},
	} {
		got, _ := Follow([]Command{c.cmd}, source(files))
		equal(t, c.name+": paths", got.Paths, c.paths)
		equal(t, c.name+": parts", slices.Sorted(maps.Keys(got.Parts)), c.parts)
	}
}

func TestGatePinsJoinTheDefaults(t *testing.T) {
	t.Parallel()
	pins := defaults().With(gatePins([]Command{{Text: "npm test && ./check.sh"}}, map[string]string{"check.sh": "", "package.json": `{"scripts":{}}`}))
	changes := []Change{
		{Path: "check.sh", Kind: Replaced},
		{Path: "a.test.ts", Kind: Removed},
		{Path: "package.json", Kind: Changed, Old: []byte(`{"scripts":{}}`), New: []byte(`{"scripts":{},"version":"2"}`)},
		{Path: "web/package.json", Kind: Changed},
	}
	equal(t, "violations", Violations(changes, pins), []string{"a.test.ts", "check.sh"})
}

// source is a tree of files.
func source(files map[string]string) Source {
	return Source{
		Files: slices.Sorted(maps.Keys(files)),
		Read:  func(name string) ([]byte, bool) { s, ok := files[name]; return []byte(s), ok },
	}
}

func gatePins(commands []Command, files map[string]string) Pins {
	p, _ := Follow(commands, source(files))
	return p
}

func TestCommandWordsAreThoseThatMustBeFound(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		cmd   Command
		first string
		words []string
	}{
		{"plain", Command{Text: "go test ./..."}, "go", []string{"go"}},
		{"assignment", Command{Text: "A=1 go test"}, "go", []string{"go"}},
		{"a PATH of its own", Command{Text: "PATH=./bin:$PATH tool x && go vet; ./a.sh"}, "", []string{"./a.sh"}},
		{"an exported PATH", Command{Text: "export PATH=./bin:$PATH; tool x"}, "", nil},
		{"only an assignment", Command{Text: "A=1"}, "", nil},
		{"builtin first", Command{Text: "cd x && npm test"}, "", []string{"npm"}},
		{"builtin test", Command{Text: "test -f x && [ -d y ] && [[ a ]]"}, "", nil},
		{"function", Command{Text: "f() { go vet; }; f && f"}, "go", []string{"go"}},
		{"negated, timed, in a subshell", Command{Text: "! (go vet)"}, "go", []string{"go"}},
		{"conditions and loops", Command{Text: "if go vet; then for x in a; do tar x; done; fi"}, "go", []string{"go", "tar"}},
		{"pipe and substitution", Command{Text: `ls | wc -l; echo "$(git log)"`}, "ls", []string{"ls", "wc", "git"}},
		{"only known when run", Command{Text: `$TOOL x; "${A}b" y; ~me/bin/x; go vet`}, "", []string{"go"}},
		{"below HOME", Command{Text: "~/bin/x -v"}, "~/bin/x", []string{"~/bin/x"}},
		{"wrappers", Command{Text: "env -u X A=1 timeout 5 go test; sh -c 'jq .'; exec make"}, "env", []string{"env", "sh", "timeout", "jq", "make", "go"}},
		{"argv", Command{Argv: []string{"go", "test"}}, "go", []string{"go"}},
		{"argv runs no builtin", Command{Argv: []string{"test", "-f", "x"}}, "test", []string{"test"}},
		{"bash only", Command{Text: "diff <(ls) <(ls)"}, "diff", []string{"diff", "ls"}},
		{"escaped", Command{Text: `g\o test`}, "go", []string{"go"}},
		{"unparsable", Command{Text: "((("}, "", nil},
	} {
		equal(t, c.name+": first", c.cmd.FirstWord(), c.first)
		equal(t, c.name+": words", c.cmd.Words(), c.words)
	}
}

func FuzzCommand(f *testing.F) {
	f.Add("env A=1 timeout 5 sh -c 'go test'")
	f.Add("make -C sub -f x; cd ..; npm --prefix=a test")
	f.Fuzz(func(t *testing.T, text string) {
		c := Command{Text: text}
		c.FirstWord()
		for _, w := range c.Words() {
			if w == "" {
				t.Error("an empty word")
			}
		}
		Follow([]Command{c, {Argv: []string{text}}}, source(map[string]string{"x": text, "Makefile": text, "package.json": text, "justfile": text, "Taskfile.yml": text}))
	})
}
