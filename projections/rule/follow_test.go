package rule

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestScriptsOfGatesAreFollowed(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"check.sh": `#!/usr/bin/env bash
set -euo pipefail
HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
. "$HERE/scripts/lib.sh"
source scripts/more.sh
for s in scripts/parts/*.sh; do . "$s"; done
for n in one two; do "$HERE/scripts/$n.sh"; done
out=$(./greet.sh World)
./greet2.sh | grep -q hello
if ./probe.sh; then echo; fi
scripts/check-style.sh
bash ./scripts/all.sh | tee log
python app.py
python scripts/verify_output.py
./bin/app --selftest
trap 'sh scripts/cleanup.sh' EXIT
cd sub
sh ./inner.sh
`,
		"scripts/lib.sh": `. "${BASH_SOURCE%/*}/deep.sh"` + "\n", "scripts/deep.sh": ". $(dirname $0)/loop.sh\n", "scripts/loop.sh": ". scripts/deep.sh\n",
		"scripts/more.sh": "", "scripts/parts/a.sh": "", "scripts/parts/b.sh": "", "scripts/one.sh": "#!/bin/sh\n", "scripts/two.sh": "",
		"greet.sh": "", "greet2.sh": "", "probe.sh": "", "scripts/check-style.sh": "", "scripts/all.sh": "exec sh scripts/last.sh", "scripts/last.sh": "",
		"app.py": "", "scripts/verify_output.py": "", "bin/app": "", "scripts/cleanup.sh": "", "sub/inner.sh": "", "inner.sh": "",
	}
	pins := gatePins([]Command{{Text: "./check.sh"}}, files)
	equal(t, "paths", pins.Paths, []string{
		"check.sh", "scripts/all.sh", "scripts/check-style.sh", "scripts/cleanup.sh", "scripts/deep.sh", "scripts/last.sh", "scripts/lib.sh", "scripts/loop.sh", "scripts/more.sh",
		"scripts/one.sh", "scripts/parts/a.sh", "scripts/parts/b.sh", "scripts/two.sh", "scripts/verify_output.py", "sub/inner.sh",
	})
	equal(t, "why", pins.Because("scripts/lib.sh"), Why{WhySourced, "check.sh"})
	equal(t, "why, deeper", pins.Because("scripts/deep.sh"), Why{WhySourced, "scripts/lib.sh"})
	equal(t, "why, named", pins.Because("check.sh"), Why{Kind: WhyGate})
}

func TestATestOfAScriptDoesNotPinWhatItTests(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"test_calc.sh": ". ./calc.sh\n. ./assert.sh\nassert_eq \"$(add 1 2)\" 3\nsh ./deploy.sh\n", "calc.sh": "", "assert.sh": "", "deploy.sh": "",
	}
	equal(t, "paths", gatePins([]Command{{Text: "sh test_calc.sh"}}, files).Paths, []string{"assert.sh", "test_calc.sh"})
}

func TestWhatAProgramIsConfiguredWithIsPinned(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for _, name := range []string{
		"ci/pytest.cfg", "checks/verify.py", "shop/tests.py", "shop/checks.py", "plug/in.py", "conf/jest.js", "t/setup.js", "spec.js", "tests.py", "run.js", "ci/tox.ini",
		"web/package.json", "package.json",
	} {
		files[name] = ""
	}
	for gate, want := range map[string][]string{
		"pytest -c ci/pytest.cfg":                      {"ci/pytest.cfg"},
		"python -m pytest -q checks/verify.py::test_a": {"checks/verify.py"},
		"pytest -p plug.in":                            {"plug/in.py"},
		"python3 -m unittest shop.checks":              {"shop/checks.py"},
		"python3 -m unittest shop.checks.T.test_a":     {"shop/checks.py"},
		"uv run pytest checks/verify.py":               {"checks/verify.py"},
		"poetry run python -m unittest shop.checks":    {"shop/checks.py"},
		"coverage run -m pytest checks/verify.py":      {"checks/verify.py"},
		"npx jest --config conf/jest.js":               {"conf/jest.js"},
		"npx jest --config=conf/jest.js spec.js":       {"conf/jest.js", "spec.js"},
		"npx mocha -r t/setup.js spec.js":              {"spec.js", "t/setup.js"},
		"node --test spec.js":                          {"spec.js"},
		"node --require ./t/setup.js run.js":           {"run.js", "t/setup.js"},
		"tox -c ci/tox.ini":                            {"ci/tox.ini"},
		"c8 node --test spec.js":                       {"spec.js"},
		"xargs -n1 node --test < list":                 nil,
	} {
		equal(t, gate, gatePins([]Command{{Text: gate}}, files).Paths, want)
	}
}

const rootPackage = `{"name":"root","private":true,"workspaces":["packages/*"],"scripts":{"test":"npm test --workspaces","lint":"eslint .","ci":"run-s lint test:*","test:a":"npm test -w @x/a","test:b":"node scripts/run-tests.js"},"devDependencies":{"jest":"29"}}`

func TestWorkspacesOfPackagesAreFollowed(t *testing.T) {
	t.Parallel()
	const a = `{"name":"@x/a","scripts":{"test":"npm run unit","unit":"jest","dev":"vite"}}`
	const b = `{"name":"@x/b","scripts":{"test":"node --test","start":"node ."}}`
	was := map[string]string{"package.json": rootPackage, "packages/a/package.json": a, "packages/b/package.json": b, "scripts/run-tests.js": "", "other/package.json": b}
	in := func(file, old, new string) map[string]string {
		if !strings.Contains(was[file], old) {
			t.Fatalf("no %s in %s", old, file)
		}
		return map[string]string{file: strings.Replace(was[file], old, new, 1)}
	}
	for _, gate := range []string{
		"npm test -w @x/a", "npm test --workspace=packages/a", "npm -w a run test", "yarn workspace @x/a test", "npm --prefix packages/a test", "pnpm --filter @x/a test",
		"pnpm -C packages/a test", "cd packages/a && npm t", "yarn --cwd packages/a test", "npm run test:a", "bun run --cwd packages/a test", "lerna run test", "turbo run test", "npx nx run a:test", "npm test", "npx turbo test", "pnpm -r test",
	} {
		testEdits(t, gate, was, []edit{
			{"the script", in("packages/a/package.json", "npm run unit", "true"), []string{"packages/a/package.json"}},
			{"what it runs", in("packages/a/package.json", `"unit":"jest"`, `"unit":"true"`), []string{"packages/a/package.json"}},
			{"before what it runs", in("packages/a/package.json", `"unit":"jest"`, `"unit":"jest","preunit":"x"`), []string{"packages/a/package.json"}},
			{"another script", in("packages/a/package.json", `"dev":"vite"`, `"dev":"vite --host","build":"tsc"`), nil},
			{"a package that is none", map[string]string{"other/package.json": "{}"}, nil},
			{"a folder for jest", in("package.json", `"jest":"29"`, `"jest":"file:./fake"`), []string{"package.json"}},
			{"a package more", in("package.json", `"jest":"29"`, `"jest":"29","left-pad":"1"`), nil},
			{"a package of this repository", in("package.json", `"jest":"29"`, `"jest":"29","@x/c":"workspace:*"`), nil},
			{"lint at the top", in("package.json", "eslint .", "eslint src"), nil},
			{"a new package", map[string]string{"packages/c/package.json": `{"scripts":{"test":"jest"}}`}, nil},
			{"a shell for scripts", map[string]string{".npmrc": "script-shell=./fake\n"}, []string{".npmrc"}},
			{"a shell, below", map[string]string{"packages/a/.npmrc": "node-options = --require ./x.js\n"}, []string{"packages/a/.npmrc"}},
			{"a registry", map[string]string{".npmrc": "registry=https://npm.example.com\n//npm.example.com/:_authToken=${T}\nsave-exact=true\n"}, nil},
		})
	}
	testEdits(t, "npm run ci", was, []edit{
		{"a script by glob", in("package.json", `"test:b":"node scripts/run-tests.js"`, `"test:b":"true"`), []string{"package.json"}},
		{"a new one that the glob takes", in("package.json", `"test:b"`, `"test:0":"true","test:b"`), []string{"package.json"}},
		{"the script", map[string]string{"scripts/run-tests.js": "0"}, []string{"scripts/run-tests.js"}},
		{"lint", in("package.json", "eslint .", "true"), []string{"package.json"}},
	})
}

func TestTasksOfOtherRunnersArePinnedAsFarAsTheyAreReached(t *testing.T) {
	t.Parallel()
	const just = "set shell := ['sh', '-c']\nflags := '-count=1'\nport := '80'\n\ndefault: build\n\nbuild:\n    go build\n\n# all\ntest pkg='./...': lint\n    go test {{flags}} {{pkg}}\n    ./check.sh\n\nlint:\n    go vet\n"
	testEdits(t, "just test", map[string]string{"justfile": just, "check.sh": ""}, []edit{
		{"a new recipe", map[string]string{"justfile": just + "\nrun: build\n    ./a.out {{port}}\n"}, nil},
		{"another recipe", map[string]string{"justfile": strings.Replace(just, "go build", "go build -v", 1)}, nil},
		{"another variable", map[string]string{"justfile": strings.Replace(just, "'80'", "'81'", 1)}, nil},
		{"the recipe", map[string]string{"justfile": strings.Replace(just, "go test", "true", 1)}, []string{"justfile"}},
		{"a step", map[string]string{"justfile": strings.Replace(just, "go vet", "true", 1)}, []string{"justfile"}},
		{"a variable", map[string]string{"justfile": strings.Replace(just, "-count=1", "-run X", 1)}, []string{"justfile"}},
		{"the shell", map[string]string{"justfile": strings.Replace(just, "'sh', '-c'", "'true'", 1)}, []string{"justfile"}},
		{"exported", map[string]string{"justfile": "export GOFLAGS := '-run=X'\n" + just}, []string{"justfile"}},
		{"a script", map[string]string{"check.sh": "x"}, []string{"check.sh"}},
	})
	const task = "version: '3'\nvars:\n  X: 1\ntasks:\n  default:\n    cmds: [task: build]\n  build:\n    cmds:\n      - go build\n  test:\n    deps: [lint]\n    cmds:\n      - task: unit\n      - ./check.sh\n  lint: go vet\n  unit:\n    cmd: go test ./...\n"
	testEdits(t, "task test", map[string]string{"Taskfile.yml": task, "check.sh": ""}, []edit{
		{"a new task", map[string]string{"Taskfile.yml": task + "  run:\n    cmds: [./a.out]\n"}, nil},
		{"another task", map[string]string{"Taskfile.yml": strings.Replace(task, "go build", "go build -v", 1)}, nil},
		{"the task", map[string]string{"Taskfile.yml": strings.Replace(task, "./check.sh", "'true'", 1)}, []string{"Taskfile.yml"}},
		{"a dependency", map[string]string{"Taskfile.yml": strings.Replace(task, "go vet", "'true'", 1)}, []string{"Taskfile.yml"}},
		{"a task in it", map[string]string{"Taskfile.yml": strings.Replace(task, "go test ./...", "'true'", 1)}, []string{"Taskfile.yml"}},
		{"for all", map[string]string{"Taskfile.yml": "env: {GOFLAGS: -run=X}\n" + task}, []string{"Taskfile.yml"}},
		{"a script", map[string]string{"check.sh": "x"}, []string{"check.sh"}},
	})
	const rake = "require 'rake/testtask'\n\ntask default: %i[test]\n\nRake::TestTask.new(:unit) do |t|\n  t.pattern = 'test/*_test.rb'\nend\n\ndesc 'all'\ntask test: [:unit] do\n  sh 'sh check.sh'\nend\n\ntask :build do\n  sh 'make'\nend\n"
	testEdits(t, "bundle exec rake test", map[string]string{"Rakefile": rake, "check.sh": ""}, []edit{
		{"a new task", map[string]string{"Rakefile": rake + "\ndesc 'serve it'\ntask :serve do\n  sh 'x'\nend\n"}, nil},
		{"another task", map[string]string{"Rakefile": strings.Replace(rake, "sh 'make'", "sh 'make all'", 1)}, nil},
		{"the task", map[string]string{"Rakefile": strings.Replace(rake, "sh 'sh check.sh'", "true", 1)}, []string{"Rakefile"}},
		{"the task once more", map[string]string{"Rakefile": rake + "Rake::Task[:unit].clear\n"}, []string{"Rakefile"}},
		{"a test task", map[string]string{"Rakefile": strings.Replace(rake, "*_test.rb", "none", 1)}, []string{"Rakefile"}},
		{"a script", map[string]string{"check.sh": "x"}, []string{"check.sh"}},
	})
	const deno = "{\n  // tasks\n  \"tasks\": {\"test\": \"deno test\", \"dev\": \"deno run main.ts\"},\n}\n"
	testEdits(t, "deno task test", map[string]string{"deno.jsonc": deno}, []edit{
		{"a new task", map[string]string{"deno.jsonc": strings.Replace(deno, `"dev"`, `"build": "x", "dev"`, 1)}, nil},
		{"the task", map[string]string{"deno.jsonc": strings.Replace(deno, `deno test`, `true`, 1)}, []string{"deno.jsonc"}},
		{"another configuration goes first", map[string]string{"deno.json": deno}, []string{"deno.json"}},
	})
}

func TestConfigurationOfToolsIsPinnedWhereItSteers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, file, was, is string
		bad                 bool
	}{
		{"a requirement", "go.mod", "module a\n\ngo 1.25\n", "module a\n\ngo 1.26\n\nrequire x.org/y v1.0.0\n", false},
		{"tool chain of a release", "go.mod", "module a\ngo 1.25\n", "module a\ngo 1.25\ntoolchain go1.26.1\n", false},
		{"tool chain of one's own", "go.mod", "module a\ngo 1.25\n", "module a\ngo 1.25\ntoolchain go1.26.1-fake\n", true},
		{"a folder for a module", "go.mod", "module a\nrequire x.org/y v1.0.0\n", "module a\nrequire x.org/y v1.0.0\nreplace x.org/y => ./y\n", true},
		{"in a block", "go.mod", "module a\nrequire (\n\tx.org/y v1.0.0 // indirect\n)\n", "module a\nrequire (\n\tx.org/y v1.0.0\n)\nreplace (\n\tx.org/y v1.0.0 => ../y\n)\n", true},
		{"a fork", "go.mod", "module a\nrequire x.org/y v1.0.0\n", "module a\nrequire x.org/y v1.0.0\nreplace x.org/y => z.org/y v1.0.0\n", true},
		{"another version", "go.mod", "module a\nrequire x.org/y v1.0.0\n", "module a\nrequire x.org/y v1.0.0\nreplace x.org/y => x.org/y v1.0.1\n", false},
		{"a new module of this repository", "go.mod", "module a\n", "module a\nrequire a/sub v0.0.0\nreplace a/sub => ./sub\n", false},
		{"another folder", "go.mod", "module a\nrequire b v0.0.0\nreplace b => ./b\n", "module a\nrequire b v0.0.0\nreplace b => ./c\n", true},
		{"a module in go.work", "go.work", "go 1.25\nuse .\n", "go 1.25\nuse (\n\t.\n\t./sub\n)\n", false},
		{"a replacement in go.work", "go.work", "go 1.25\nuse .\n", "go 1.25\nuse .\nreplace x.org/y => ./y\n", false},
		{"a crate", "Cargo.toml", "[dependencies]\na = \"1\"\n", "[dependencies]\na = \"2\"\nb = { version = \"1\", features = [\"x\"] }\n", false},
		{"a crate of the workspace", "Cargo.toml", "[dependencies]\na = \"1\"\n", "[dependencies]\na = \"1\"\nmine = { path = \"../mine\" }\n", false},
		{"a folder for a crate", "Cargo.toml", "[dependencies]\na = \"1\"\n", "[dependencies]\na = { path = \"fake\" }\n", true},
		{"a folder for a crate, as table", "Cargo.toml", "[dev-dependencies]\na = \"1\"\n", "[dev-dependencies.a]\npath = \"fake\"\n", true},
		{"a patch", "Cargo.toml", "[dependencies]\na = \"1\"\n", "[dependencies]\na = \"1\"\n[patch.crates-io]\na = { path = \"x\" }\n", true},
		{"a build script", "Cargo.toml", "[package]\nname = \"x\"\n", "[package]\nname = \"x\"\nbuild = \"y.rs\"\n", true},
		{"no tests", "Cargo.toml", "[package]\nname = \"x\"\n", "[package]\nname = \"x\"\nautotests = false\n", true},
		{"a version", "Cargo.toml", "[package]\nname = \"x\"\nversion = \"1.0.0\"\n", "[package]\nname = \"x\"\nversion = \"1.1.0\"\n", false},
		{"a runner", ".cargo/config.toml", "[net]\nretry = 2\n", "[net]\nretry = 2\n[target.x86_64-unknown-linux-gnu]\nrunner = \"true\"\n", true},
		{"an alias", "sub/.cargo/config.toml", "[alias]\nxt = \"test\"\n", "[alias]\nxt = \"check\"\n", true},
		{"the net", ".cargo/config.toml", "[net]\nretry = 2\n", "[net]\nretry = 3\n", false},
		{"tool chain of rust", "rust-toolchain.toml", "[toolchain]\nchannel = \"stable\"\n", "[toolchain]\npath = \"fake\"\n", true},
		{"version of node", ".nvmrc", "20\n", "22\n", true},
		{"an environment", ".envrc", "export A=1\n", "export A=1\nPATH_add fake\n", true},
		{"a dependency", "pyproject.toml", "[project]\ndependencies = [\n \"requests\",\n]\n", "[project]\ndependencies = [\n \"requests\",\n \"rich\",\n]\n", false},
		{"a folder for a dependency", "pyproject.toml", "[project]\ndependencies = [\"pytest\"]\n", "[project]\ndependencies = [\"pytest @ file:///w/fake\"]\n", true},
		{"a source", "pyproject.toml", "[dependency-groups]\ndev = [\"pytest\"]\n", "[dependency-groups]\ndev = [\"pytest\"]\n[tool.uv.sources]\npytest = { path = \"fake\" }\n", true},
		{"a source of the workspace", "pyproject.toml", "[project]\ndependencies = [\"a\"]\n", "[project]\ndependencies = [\"a\", \"mylib\"]\n[tool.uv.sources]\nmylib = { path = \"libs/mylib\" }\n", false},
		{"poetry", "pyproject.toml", "[tool.poetry.dependencies]\npytest = \"^8\"\n", "[tool.poetry.dependencies]\npytest = { path = \"fake\" }\n", true},
		{"a requirement more", "requirements.txt", "pytest==8\n", "pytest==8\nrich\n-e .\n", false},
		{"a newer requirement", "requirements.txt", "pytest==8\n", "pytest==9\n", false},
		{"a folder for one", "requirements-dev.txt", "pytest==8\n", "pytest @ file:./fake\n", true},
		{"a gem", "Gemfile", "gem 'rspec'\n", "gem 'rspec', '~> 3'\ngem 'rack'\n", false},
		{"a folder for a gem", "Gemfile", "gem 'rspec'\n", "gem 'rspec', path: 'fake'\n", true},
		{"plugins of yarn", ".yarnrc.yml", "nodeLinker: node-modules\n", "nodeLinker: node-modules\nyarnPath: ./fake.js\n", true},
		{"the linker of yarn", ".yarnrc.yml", "nodeLinker: node-modules\n", "nodeLinker: pnp\n", false},
		{"a package of pnpm", "pnpm-workspace.yaml", "packages:\n  - 'a'\n", "packages:\n  - 'a'\n  - 'b'\n", false},
		{"an override of pnpm", "pnpm-workspace.yaml", "packages:\n  - 'a'\n", "packages:\n  - 'a'\noverrides:\n  jest: link:./fake\n", true},
		{"a script of composer", "composer.json", `{"scripts":{"test":"phpunit"}}`, `{"scripts":{"test":"phpunit","build":"x"},"require":{"a/b":"1"}}`, false},
		{"the script", "composer.json", `{"scripts":{"test":"phpunit"}}`, `{"scripts":{"test":"true"}}`, true},
		{"a dependency of maven", "pom.xml", "<project><dependencies></dependencies></project>", "<project><dependencies><dependency/></dependencies></project>", false},
		{"no tests in maven", "pom.xml", "<project><properties></properties></project>", "<project><properties><skipTests>true</skipTests></properties></project>", true},
		{"surefire", "pom.xml", "<build><plugins></plugins></build>", "<build><plugins><plugin><artifactId>maven-surefire-plugin</artifactId><configuration><testFailureIgnore>true</testFailureIgnore></configuration></plugin></plugins></build>", true},
		{"another plugin", "pom.xml", "<build><plugins></plugins></build>", "<build><plugins><plugin><artifactId>maven-jar-plugin</artifactId></plugin></plugins></build>", false},
		{"a dependency of gradle", "build.gradle", "dependencies { }\ntest { useJUnitPlatform() }\n", "dependencies { implementation 'a' }\ntest { useJUnitPlatform() }\n", false},
		{"tests of gradle", "build.gradle.kts", "tasks.test { useJUnitPlatform() }\n", "tasks.test { useJUnitPlatform()\n ignoreFailures = true }\n", true},
	} {
		got := Violations([]Change{{Path: c.file, Kind: Changed, Old: []byte(c.was), New: []byte(c.is)}}, defaults())
		equal(t, c.file+": "+c.name, len(got) > 0, c.bad)
	}
}

func TestNewConfigurationThatSteersIsAViolation(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file, text string
		bad        bool
	}{
		"npm":            {"web/.npmrc", "script-shell = /bin/true\n", true},
		"npm, registry":  {".npmrc", "@x:registry=https://x.org\n", false},
		"yarn":           {".yarnrc.yml", "yarnPath: fake.js\n", true},
		"cargo":          {".cargo/config.toml", "[build]\nrustc-wrapper = \"x\"\n", true},
		"cargo, net":     {".cargo/config.toml", "[net]\nretry = 1\n", false},
		"go.work":        {"go.work", "go 1.25\nuse .\nreplace x.org/y => ./y\n", true},
		"go.work, plain": {"go.work", "go 1.25\nuse (\n\t.\n\t./tools\n)\n", false},
		"a package":      {"web/package.json", `{"scripts":{"test":"true"}}`, false},
		"go.mod":         {"tools/go.mod", "module tools\nreplace x => ./y\n", false},
		"pyproject":      {"pyproject.toml", "[project]\nname = \"x\"\n[tool.pytest.ini_options]\npythonpath = \"src\"\n", false},
	} {
		equal(t, name, len(Violations([]Change{{Path: c.file, Kind: Added, New: []byte(c.text)}}, defaults())) > 0, c.bad)
	}
}

func TestConfigurationThatWouldGoFirstIsAViolation(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		gate, file string
		files      map[string]string
		bad        bool
	}{
		{"pytest", "pytest.ini", map[string]string{"pyproject.toml": "[tool.pytest.ini_options]\n"}, true},
		{"python -m pytest", ".pytest.ini", map[string]string{"setup.cfg": "[tool:pytest]\n"}, true},
		{"pytest", "pytest.ini", map[string]string{"pyproject.toml": "[project]\n"}, false},
		{"npx jest", "jest.config.ts", map[string]string{"package.json": `{"jest":{}}`}, true},
		{"npm test", "jest.config.mjs", map[string]string{"package.json": `{"scripts":{"test":"jest"}}`, "jest.config.js": ""}, true},
		{"npm test", "jest.config.js", map[string]string{"package.json": `{"scripts":{"test":"jest"}}`}, false},
		{"npx mocha", ".mocharc.yml", map[string]string{"package.json": `{"mocha":{}}`}, true},
		{"npx vitest run", "vitest.config.ts", map[string]string{"package.json": `{}`, "vite.config.ts": "export default {test: {}}"}, true},
		{"cargo test", ".cargo/config", map[string]string{".cargo/config.toml": ""}, true},
	} {
		is := maps.Clone(c.files)
		is[c.file] = "x"
		equal(t, c.gate+": "+c.file, slices.Contains(edited(c.gate, c.files, is), c.file), c.bad)
	}
}

func TestWhatAPinnedScriptComparesWithAndIsMadeOfIsPinned(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		gate  string
		files map[string]string
		want  []string
	}{
		"what comes out": {"sh check.sh", map[string]string{"check.sh": "sh add.sh | diff - out/want.txt\n", "out/want.txt": "", "add.sh": "", "data.txt": ""}, []string{"check.sh", "out/want.txt"}},
		"a file that the gate gives to its runner": {"python3 -m doctest docs/test_shop.txt README.md", map[string]string{"docs/test_shop.txt": "", "README.md": ""}, []string{"docs/test_shop.txt"}},
		"modules beside a tool": {"python3 tools/check.py", map[string]string{
			"tools/check.py": "import sys\nfrom rules import same\nimport shop\n", "tools/rules.py": "import more\n", "tools/more.py": "", "shop.py": "",
		}, []string{"tools/check.py", "tools/more.py", "tools/rules.py"}},
		"modules beside a product":        {"python3 src/check.py", map[string]string{"src/check.py": "import calc\n", "src/calc.py": ""}, []string{"src/check.py"}},
		"the sole command of a target":    {"make test", map[string]string{"Makefile": "test: build\n\tpython3 run/t.py\n\nbuild:\n\tpython3 gen.py\n", "run/t.py": "", "gen.py": ""}, []string{"run/t.py"}},
		"one of two commands of a target": {"make test", map[string]string{"Makefile": "test:\n\tpython3 gen.py\n\tcmp a b\n", "gen.py": ""}, nil},
		"the sole command of a script":    {"npm test", map[string]string{"package.json": `{"scripts": {"test": "node run.js", "pretest": "node build.js"}}`, "run.js": "", "build.js": ""}, []string{"run.js"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			equal(t, "paths", gatePins([]Command{{Text: c.gate}}, c.files).Paths, c.want)
		})
	}
}
