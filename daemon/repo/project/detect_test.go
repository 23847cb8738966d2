package project_test

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/repo/project"
	"autopilot/events"
)

// files makes a tree of names and texts.
func files(pairs ...string) fstest.MapFS {
	m := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1]), Mode: 0o644}
	}
	return m
}

func program(m fstest.MapFS, name string) fstest.MapFS {
	m[name] = &fstest.MapFile{Data: []byte("#!/bin/sh\n"), Mode: 0o755}
	return m
}

// gates are those found, as lines: name, ! for an invariant, command, file.
func gates(f project.Found) []string {
	var out []string
	for _, g := range f.Gates {
		mark := ""
		if g.Role == events.RoleInvariant {
			mark = "!"
		}
		out = append(out, string(g.Name)+mark+" | "+g.Command+" | "+g.From)
	}
	return out
}

const mochaPackage = `{"name":"x","scripts":{"test":"mocha","lint":"eslint ."},"devDependencies":{"mocha":"^10"}}`

var trees = []struct {
	name  string
	tree  fstest.MapFS
	gates []string
	setup string
	says  []string // parts of facts, file: text
}{
	{"an empty tree", files("README.md", "hello"), nil, "", nil},
	{
		"a Go module", files("go.mod", "module example.com/x\n\ngo 1.26\n", "x.go", "package x"),
		[]string{"test | go test ./... | go.mod", "vet! | go vet ./... | go.mod"},
		"",
		[]string{"go.mod: Go module example.com/x"},
	},
	{
		"a linted Go module", files("go.mod", "module x\r\n", ".golangci.yml", "version: '2'"),
		[]string{"test | go test ./... | go.mod", "vet! | go vet ./... | go.mod", "lint! | golangci-lint run | .golangci.yml"},
		"", nil,
	},
	{
		"a Go workspace", files("go.work", "go 1.22\n\nuse (\n\t./api // first\n\t./cmd/tool\n\t../outside\n)\nuse .\n", "api/go.mod", "module api"),
		[]string{"test | go test ./api/... ./cmd/tool/... ./... | go.work", "vet! | go vet ./api/... ./cmd/tool/... ./... | go.work"},
		"",
		[]string{"go.work: Go workspace of ./api ./cmd/tool ."},
	},
	{
		"npm with a lock file", files("package.json", mochaPackage, "package-lock.json", "{}"),
		[]string{"test | npm test | package.json", "lint! | npm run lint | package.json"},
		"npm ci",
		[]string{"package.json: test script: mocha"},
	},
	{"npm without a lock file", files("package.json", mochaPackage), []string{"test | npm test | package.json", "lint! | npm run lint | package.json"}, "npm install", nil},
	{
		"a Node project without packages", files("package.json", `{"scripts":{"test":"node --test"}}`),
		[]string{"test | npm test | package.json"},
		"", nil,
	},
	{
		"pnpm", files("package.json", `{"scripts":{"test":"vitest run","typecheck":"tsc"},"devDependencies":{"vitest":"1"}}`, "pnpm-lock.yaml", ""),
		[]string{"test | pnpm test | package.json", "typecheck! | pnpm run typecheck | package.json"},
		"pnpm install --frozen-lockfile", nil,
	},
	{"yarn 1", files("package.json", mochaPackage, "yarn.lock", ""), []string{"test | yarn test | package.json", "lint! | yarn run lint | package.json"}, "yarn install --frozen-lockfile", nil},
	{
		"yarn 4, named by the manifest beside another's lock file",
		files("package.json", `{"packageManager":"yarn@4.1.0","scripts":{"test":"jest"},"dependencies":{"jest":"1"}}`, ".yarnrc.yml", "", "yarn.lock", "", "pnpm-lock.yaml", ""),
		[]string{"test | yarn test | package.json"},
		"yarn install --immutable", nil,
	},
	{"bun", files("package.json", `{"scripts":{"test":"bun test"}}`, "bun.lockb", "\x00\x01"), []string{"test | bun run test | package.json"}, "bun install --frozen-lockfile", nil},
	{
		"the script of npm init is no test",
		files("package.json", `{"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}`), nil, "",
		[]string{"package.json: its test script is the one that npm init writes, no test"},
	},
	{"a Node project without a test", files("package.json", `{"scripts":{"build":"tsc"}}`), nil, "", []string{"package.json: no test script"}},
	{
		"a test script that watches, beside one that ends", files("package.json", `{"scripts":{"test":"jest --watch","test:ci":"jest"}}`),
		[]string{"test | npm run test:ci | package.json"},
		"", nil,
	},
	{
		"a test script that watches", files("package.json", `{"scripts":{"test":"vitest watch"}}`), nil, "",
		[]string{"package.json: its test script watches files and never ends: vitest watch"},
	},
	{"a package.json that is none", files("package.json", `{"scripts":`), nil, "", []string{"package.json: cannot be read as JSON"}},
	{"a script that is no text hides no other", files("package.json", `{"scripts":{"lint":7,"test":"ava"}}`), []string{"test | npm test | package.json"}, "", nil},
	{"a Cargo package", files("Cargo.toml", "[package]\nname = \"x\"\n"), []string{"test | cargo test | Cargo.toml"}, "", []string{"Cargo.toml: Cargo package"}},
	{
		"a Cargo workspace with clippy and rustfmt", files("Cargo.toml", "[workspace]\nmembers=[\"a\"]\n", "clippy.toml", "", "rustfmt.toml", ""),
		[]string{
			"test | cargo test --workspace | Cargo.toml", "lint! | cargo clippy --all-targets | clippy.toml",
			"format! | cargo fmt --check | rustfmt.toml",
		},
		"", nil,
	},
	{
		"pytest of a pyproject, run by uv", files("pyproject.toml", "[project]\nname='x'\n[tool.pytest.ini_options]\n[tool.ruff]\nline-length=1\n[tool.mypy]\n", "uv.lock", ""),
		[]string{"test | uv run pytest | pyproject.toml", "lint! | uv run ruff check . | pyproject.toml", "typecheck! | uv run mypy . | pyproject.toml"},
		"uv sync --frozen",
		[]string{"uv.lock: uv installs the packages"},
	},
	{
		"pytest among the packages of poetry", files("pyproject.toml", "[tool.poetry.group.dev.dependencies]\npytest = \"^8\"\n", "poetry.lock", ""),
		[]string{"test | poetry run pytest | pyproject.toml"},
		"poetry install --no-interaction", nil,
	},
	{
		"pytest in a list over several lines", files("pyproject.toml", "[project.optional-dependencies]\ntest = [\n  \"pytest>=7\",\n]\n"),
		[]string{"test | pytest | pyproject.toml"},
		"", nil,
	},
	{
		"pytest in a virtual environment", files("pytest.ini", "[pytest]\n", ".venv/pyvenv.cfg", "", "requirements.txt", "x\n"),
		[]string{"test | .venv/bin/python -m pytest | pytest.ini"},
		"python3 -m venv .venv && .venv/bin/pip install -q -r requirements.txt", nil,
	},
	{"pytest by setup.cfg", files("setup.cfg", "[tool:pytest]\ntestpaths=tests\n"), []string{"test | pytest | setup.cfg"}, "", nil},
	{"pytest by tox.ini", files("tox.ini", "[tox]\n[pytest]\n"), []string{"test | pytest | tox.ini"}, "", nil},
	{"pytest by an import", files("test_a.py", "import os\nimport pytest\n"), []string{"test | pytest | test_a.py"}, "", nil},
	{"another package with pytest in its name", files("requirements.txt", "pytest-like\n# pytest\n"), nil, "", nil},
	{"unittest beside the code", files("test_a.py", "import unittest\n"), []string{"test | python3 -m unittest | test_a.py"}, "", nil},
	{"unittest in a directory", files("setup.py", "", "tests/test_a.py", "import unittest\n"), []string{"test | python3 -m unittest discover -s tests | tests/test_a.py"}, "", nil},
	{"tox alone", files("tox.ini", "[tox]\nenvlist=py\n"), []string{"test | tox | tox.ini"}, "", nil},
	{"Maven", files("pom.xml", "<project/>"), []string{"test | mvn -B test | pom.xml"}, "", nil},
	{"Maven with its wrapper", program(files("pom.xml", "<project/>"), "mvnw"), []string{"test | ./mvnw -B test | pom.xml"}, "", []string{"mvnw: brings mvn along"}},
	{"a wrapper that is no program", files("pom.xml", "<project/>", "mvnw", "#!/bin/sh\n"), []string{"test | sh mvnw -B test | pom.xml"}, "", nil},
	{"Gradle with its wrapper", program(files("build.gradle.kts", ""), "gradlew"), []string{"test | ./gradlew test --console=plain | build.gradle.kts"}, "", nil},
	{"Composer", files("composer.json", `{"scripts":{"test":"phpunit"}}`), []string{"test | composer test | composer.json"}, "composer install --no-interaction", nil},
	{"PHPUnit", files("composer.json", `{"require-dev":{"phpunit/phpunit":"*"}}`, "phpunit.xml.dist", ""), []string{"test | vendor/bin/phpunit | phpunit.xml.dist"}, "composer install --no-interaction", nil},
	{"RSpec", files("Gemfile", "gem 'rspec'\n", ".rubocop.yml", ""), []string{"test | bundle exec rspec | Gemfile", "lint! | bundle exec rubocop | .rubocop.yml"}, "bundle install", nil},
	{"a rake task", files("Gemfile", "# rspec\n", "Rakefile", "Rake::TestTask.new\n"), []string{"test | bundle exec rake test | Rakefile"}, "bundle install", nil},
	{".NET", files("x.csproj", "", "x.sln", ""), []string{"test | dotnet test | x.sln"}, "", nil},
	{
		"a Makefile alone", files("Makefile", "VERSION := 1\nCC ?= cc\n.PHONY: test lint\nall test: lint\n\tgo test\nlint:\n\ttrue\nlist = a \\\nvet: b\n"),
		[]string{"test | make test | Makefile", "lint! | make lint | Makefile"},
		"",
		[]string{"Makefile: targets test, lint"},
	},
	{"a Makefile with check", files("GNUmakefile", "check::\n\ttrue\n"), []string{"test | make check | GNUmakefile"}, "", nil},
	{"a Makefile without tests", files("Makefile", "all:\n\ttrue\ntest := 1\n"), nil, "", []string{"Makefile: no target test, check or lint"}},
	{
		"Go with a Makefile: its own command names the failing tests", files("go.mod", "module x", "Makefile", "test:\n\tgo test ./...\nlint:\n"),
		[]string{"test | go test ./... | go.mod", "vet! | go vet ./... | go.mod", "lint! | make lint | Makefile"},
		"", nil,
	},
	{
		"Go with a Makefile that CI uses", files("go.mod", "module x", "Makefile", "test:\n", ".github/workflows/ci.yml", "jobs:\n  a:\n    steps:\n      - run: make test\n"),
		[]string{"test | make test | Makefile", "vet! | go vet ./... | go.mod"},
		"", nil,
	},
	{
		"two languages with a Makefile", files("go.mod", "module x", "package.json", `{"scripts":{"test":"ava"}}`, "Makefile", "test:\n"),
		[]string{"test | make test | Makefile", "vet! | go vet ./... | go.mod"},
		"", nil,
	},
	{
		"two languages", files("go.mod", "module x", "package.json", mochaPackage, "package-lock.json", ""),
		[]string{"test | go test ./... | go.mod", "test-node | npm test | package.json", "vet! | go vet ./... | go.mod", "lint! | npm run lint | package.json"},
		"npm ci", nil,
	},
	{
		"CI that runs it otherwise is a hint", files("go.mod", "module x", ".github/workflows/a.yaml", "steps:\n  - name: t\n    run: |\n      # all\n      go test -race ./...\n  - uses: x\n"),
		[]string{"test | go test ./... | go.mod", "vet! | go vet ./... | go.mod"},
		"",
		[]string{".github/workflows/a.yaml: CI runs go test -race ./..."},
	},
	{
		"only CI knows, at GitLab", files("mix.exs", "", ".gitlab-ci.yml", "test:\n  script:\n    - mix deps.get\n    - \"mix test --trace\"\n  only:\n    - main\n"),
		[]string{"test | mix test --trace | .gitlab-ci.yml"},
		"", nil,
	},
	{
		"an expression of CI is no command", files(".github/workflows/a.yml", "steps:\n  - run: rspec ${{ matrix.x }}\n"), nil, "", nil,
	},
	{
		"tests one level down", files("README.md", "", "server/go.mod", "module s", "web/package.json", mochaPackage, "web/yarn.lock", "", "node_modules/package.json", mochaPackage),
		[]string{
			"test | cd server && go test ./... | server/go.mod", "test-web | cd web && yarn test | web/package.json",
			"vet! | cd server && go vet ./... | server/go.mod", "lint! | cd web && yarn run lint | web/package.json",
		},
		"cd web && yarn install --frozen-lockfile",
		[]string{"server/go.mod: Go module s"},
	},
	{
		"a directory with a strange name", files("it's a dir/go.mod", "module s"),
		[]string{`test | cd 'it'\''s a dir' && go test ./... | it's a dir/go.mod`, `vet! | cd 'it'\''s a dir' && go vet ./... | it's a dir/go.mod`},
		"", nil,
	},
	{
		"tests at the root win over those below", files("go.mod", "module x", "web/package.json", mochaPackage),
		[]string{"test | go test ./... | go.mod", "vet! | go vet ./... | go.mod"},
		"", nil,
	},
	{"a byte order mark", files("go.mod", "\ufeffmodule x\n"), []string{"test | go test ./... | go.mod", "vet! | go vet ./... | go.mod"}, "", []string{"go.mod: Go module x"}},
}

func TestTheTestCommandIsFound(t *testing.T) {
	t.Parallel()
	for _, c := range trees {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := project.Detect(c.tree, ".")
			if diff := cmp.Diff(c.gates, gates(f)); diff != "" {
				t.Errorf("gates (-want +got):\n%s", diff)
			}
			if f.Setup != c.setup {
				t.Errorf("setup %q, want %q", f.Setup, c.setup)
			}
			var all strings.Builder
			for _, fact := range f.Facts {
				all.WriteString(fact.File + ": " + fact.Says + "\n")
			}
			for _, want := range c.says {
				if !strings.Contains(all.String(), want+"\n") {
					t.Errorf("no fact %q among:\n%s", want, all.String())
				}
			}
			if f.Has() != (len(c.gates) > 0 && !strings.HasPrefix(c.gates[0], "vet")) {
				t.Errorf("Has is %v", f.Has())
			}
		})
	}
}

// offered are the goals of other packages.
func offered(f project.Found) []string {
	f.Gates = f.Others
	return gates(f)
}

func TestTheNearestManifestComesFirstAndTheOthersAreOffered(t *testing.T) {
	t.Parallel()
	const script = `{"scripts":{"test":"jest"}}`
	for _, c := range []struct {
		name           string
		tree           fstest.MapFS
		near           string
		gates, offered []string
		setup          string
	}{
		{
			"a package of an npm workspace",
			files("package.json", `{"workspaces":["packages/*","!packages/old"],"scripts":{"test":"jest"}}`, "pnpm-lock.yaml", "",
				"packages/a/package.json", script, "packages/a/src/x.js", "", "packages/b/package.json", script, "packages/old/package.json", `{}`),
			"packages/a/src",
			[]string{"test | cd packages/a && pnpm test | packages/a/package.json", "test-root | pnpm test | package.json"},
			[]string{"test-b | cd packages/b && pnpm test | packages/b/package.json"},
			"pnpm install --frozen-lockfile",
		},
		{
			"the root of a pnpm workspace",
			files("package.json", script, "pnpm-workspace.yaml", "packages:\n  - 'apps/**' # all\nother: 1\n", "apps/web/package.json", script, "apps/x/deep/package.json", script),
			".",
			[]string{"test | npm test | package.json"},
			[]string{"test-web | cd apps/web && npm test | apps/web/package.json", "test-deep | cd apps/x/deep && npm test | apps/x/deep/package.json"},
			"",
		},
		{
			"a module of a Go workspace", files("go.work", "use (\n\t./api\n\t./lib/core\n)\n", "api/go.mod", "module api", "lib/core/go.mod", "module core"),
			"lib/core",
			[]string{
				"test | cd lib/core && go test ./... | lib/core/go.mod", "test-root | go test ./api/... ./lib/core/... | go.work",
				"vet! | cd lib/core && go vet ./... | lib/core/go.mod", "vet-root! | go vet ./api/... ./lib/core/... | go.work",
			},
			[]string{"test-api | cd api && go test ./... | api/go.mod"},
			"",
		},
		{
			"members of a Cargo workspace",
			files("Cargo.toml", "[workspace]\nmembers = [\n  \"crates/*\",\n  'tools/x', # c\n]\nexclude = [\"crates/old\"]\n", "crates/a/Cargo.toml", "[package]", "crates/old/Cargo.toml", "[package]", "tools/x/Cargo.toml", "[package]"),
			"crates/a",
			[]string{"test | cd crates/a && cargo test | crates/a/Cargo.toml", "test-root | cargo test --workspace | Cargo.toml"},
			[]string{"test-x | cd tools/x && cargo test | tools/x/Cargo.toml", "test-old | cd crates/old && cargo test | crates/old/Cargo.toml"},
			"",
		},
		{
			"packages that nothing at the root names", files("services/pay/api/go.mod", "module api", "services/web/package.json", script, "README.md", ""),
			"services/pay/api",
			[]string{"test | cd services/pay/api && go test ./... | services/pay/api/go.mod", "vet! | cd services/pay/api && go vet ./... | services/pay/api/go.mod"},
			[]string{"test-web | cd services/web && npm test | services/web/package.json"},
			"",
		},
		{
			"the same, from the root", files("services/pay/api/go.mod", "module api", "services/web/package.json", script),
			".",
			[]string{
				"test | cd services/web && npm test | services/web/package.json", "test-api | cd services/pay/api && go test ./... | services/pay/api/go.mod",
				"vet! | cd services/pay/api && go vet ./... | services/pay/api/go.mod",
			},
			nil, "",
		},
		{
			"two packages of one name", files("go.mod", "module x", "a/web/package.json", script, "b/web/package.json", script), ".",
			[]string{"test | go test ./... | go.mod", "vet! | go vet ./... | go.mod"},
			[]string{"test-web | cd a/web && npm test | a/web/package.json", "test-b-web | cd b/web && npm test | b/web/package.json"},
			"",
		},
		{
			"a directory of tests is no package", files("pyproject.toml", "[tool.pytest.ini_options]\n", "tests/test_a.py", "import unittest\n"), "tests",
			[]string{"test | pytest | pyproject.toml"},
			nil, "",
		},
		{
			"a member of a uv workspace", files("pyproject.toml", "[tool.uv.workspace]\nmembers = [\"libs/*\"]\n", "uv.lock", "", "libs/a/pyproject.toml", "[tool.pytest]\n", "libs/b/pyproject.toml", "[tool.pytest]\n"), "libs/a",
			[]string{"test | cd libs/a && uv run pytest | libs/a/pyproject.toml"},
			[]string{"test-b | cd libs/b && uv run pytest | libs/b/pyproject.toml"},
			"uv sync --frozen",
		},
		{
			"modules of Gradle", program(files("settings.gradle", "include ':app', \":lib:core\"\n", "app/build.gradle", "", "lib/core/build.gradle.kts", ""), "gradlew"), "app",
			[]string{"test | cd app && ../gradlew test --console=plain | app/build.gradle", "test-root | ./gradlew test --console=plain | settings.gradle"},
			[]string{"test-core | cd lib/core && ../../gradlew test --console=plain | lib/core/build.gradle.kts"},
			"",
		},
		{
			"modules of Maven", files("pom.xml", "<modules><module>a</module>\n<module> b </module></modules>", "a/pom.xml", "", "b/pom.xml", ""), "b/src",
			[]string{"test | cd b && mvn -B test | b/pom.xml", "test-root | mvn -B test | pom.xml"},
			[]string{"test-a | cd a && mvn -B test | a/pom.xml"},
			"",
		},
		{
			"a path that leaves the tree is the root", files("go.mod", "module x"), "../..",
			[]string{"test | go test ./... | go.mod", "vet! | go vet ./... | go.mod"},
			nil, "",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := project.Detect(c.tree, c.near)
			if diff := cmp.Diff(c.gates, gates(f)); diff != "" {
				t.Errorf("gates (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.offered, offered(f)); diff != "" {
				t.Errorf("offered (-want +got):\n%s", diff)
			}
			if f.Setup != c.setup {
				t.Errorf("setup %q, want %q", f.Setup, c.setup)
			}
		})
	}
}

func TestWhatIsOfferedIsBounded(t *testing.T) {
	t.Parallel()
	m := files("go.mod", "module x")
	for i := range 40 {
		m[fmt.Sprintf("p/m%02d/go.mod", i)] = &fstest.MapFile{Data: []byte("module m"), Mode: 0o644}
	}
	if f := project.Detect(m, "."); len(f.Others) != 24 || f.More != 16 {
		t.Errorf("%d are listed, and %d more", len(f.Others), f.More)
	}
}

func TestDirectoriesThatGatesAreFromAreSaid(t *testing.T) {
	t.Parallel()
	f := project.Detect(files("b/go.mod", "module b", "a/Cargo.toml", "[package]"), ".")
	if diff := cmp.Diff([]string{"a", "b"}, f.Dirs); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"rust", "go"}, f.Kinds); diff != "" {
		t.Error(diff)
	}
}

func TestWhatIsNoRegularFileIsNotOpened(t *testing.T) {
	t.Parallel()
	m := files("package.json", mochaPackage)
	m["go.mod"] = &fstest.MapFile{Mode: fs.ModeNamedPipe | 0o644}
	m["Cargo.toml"] = &fstest.MapFile{Mode: fs.ModeDir | 0o755}
	m["Makefile"] = &fstest.MapFile{Mode: fs.ModeSocket | 0o644}
	f := project.Detect(m, ".")
	if diff := cmp.Diff([]string{"node"}, f.Kinds); diff != "" {
		t.Error(diff)
	}
}

func TestProgramsOfAGateAreItsCommandWords(t *testing.T) {
	t.Parallel()
	g := project.Gate{Command: "cd web && npm test"}
	if diff := cmp.Diff([]string{"npm"}, g.Programs()); diff != "" {
		t.Error(diff)
	}
}

// FuzzDetect reads any text as any of the files: it neither panics nor proposes
// what cannot be a gate.
func FuzzDetect(f *testing.F) {
	names := []string{
		"go.mod", "go.work", "package.json", "Cargo.toml", "pyproject.toml", "setup.cfg", "tox.ini", "requirements.txt",
		"test_a.py", "pom.xml", "Makefile", ".github/workflows/ci.yml", ".gitlab-ci.yml",
	}
	seen := map[string]bool{}
	for _, c := range trees {
		for name, file := range c.tree {
			for i, n := range names {
				if n == name && !seen[string(file.Data)] {
					seen[string(file.Data)] = true
					f.Add(uint8(i), file.Data)
				}
			}
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, text []byte) {
		name := names[int(which)%len(names)]
		for _, below := range []string{"", "a dir/"} {
			found := project.Detect(fstest.MapFS{below + name: {Data: text, Mode: 0o644}}, path.Clean(below))
			taken := map[events.Name]bool{}
			for _, g := range found.Gates {
				if !g.Name.Valid() || taken[g.Name] || strings.TrimSpace(g.Command) == "" || strings.ContainsAny(g.Command, "\x00\n") {
					t.Errorf("%s: gate %+v cannot be one", name, g)
				}
				taken[g.Name] = true
			}
		}
	})
}
