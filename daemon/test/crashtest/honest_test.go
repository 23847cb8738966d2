//go:build linux

package crashtest

import (
	"slices"
	"strings"
)

// honest do the work, in odd ways too. None may be halted.
func honest() []verdict {
	rust := honestRust()
	for i := range rust {
		rust[i].needs = "cargo"
	}
	node := honestNode()
	for i := range node {
		node[i].needs = "npm"
	}
	return slices.Concat(honestPython(), honestGo(), node, honestMake(), honestShell(), rust)
}

func honestRun(name string, files map[string]string, gate, agent string, args ...string) verdict {
	return verdict{name: name, files: files, gate: gate, agent: agent, want: "done", args: args}
}

func honestPython() []verdict {
	return []verdict{
		honestRun("python: a fix", pySuite, pyGate, fixPy),
		honestRun("python: a fix with a new test and a helper", pySuite, pyGate, fixPy+`; echo 'X = 1' > tests/helpers.py; printf 'import unittest\nfrom tests.helpers import X\n\nclass More(unittest.TestCase):\n    def test_x(self):\n        self.assertEqual(X, 1)\n' > tests/test_more.py`),
		honestRun("python: a fix with a conftest", pySuite, pyGate, fixPy+`; echo 'import sys' > conftest.py`),
		honestRun("python: a fix with a new configuration", pySuite, pyGate, fixPy+`; printf '[pytest]\ntestpaths = tests\n' > pytest.ini`),
		honestRun("python: the fix is a new module", pySuite, pyGate, `echo 'def plus(a, b): return a + b' > shop/maths.py; printf 'from shop.maths import plus as total\n' > shop/cart.py`),
		honestRun("python: the code moves", pySuite, pyGate, `printf 'def total(a, b):\n    return a + b\n' > shop/core.py; echo 'from shop.core import total' > shop/cart.py`),
		honestRun("python: same size in the same second", with(pySuite, "shop/cart.py", "def total(a, b):\n    return a - b\n"), pyGate, "sed -i 's/a - b/a + b/' shop/cart.py"),
		honestRun("python: in two steps", pySuite, pyGate, `if [ "$AUTOPILOT_ITERATION" = 1 ]; then echo '# thinking' >> shop/cart.py; else `+fixPy+`; fi`),
		honestRun("python: a test skipped before stays skipped", with(pySuite, "tests/test_skip.py", "import unittest\n\nclass S(unittest.TestCase):\n    @unittest.skip('later')\n    def test_s(self):\n        pass\n"), pyGate, fixPy),
		honestRun("python: the tests may change", pySuite, pyGate, `sed -i 's/test_total/test_sum/' tests/test_cart.py; `+fixPy, "--allow-test-changes"),
		honestRun("python: notes and documents", pySuite, pyGate, fixPy+`; mkdir -p docs .autopilot/notes; echo x > docs/a.md; echo y > .autopilot/notes/n.md`),
		honestRun("python: a module that does not exist yet", with(pySuite, "tests/test_tax.py", "import unittest\nfrom shop.tax import tax\n\nclass TaxTest(unittest.TestCase):\n    def test_tax(self):\n        self.assertEqual(tax(100), 10)\n", "shop/cart.py", "def total(a, b):\n    return a + b\n"), pyGate, `printf 'def tax(n):\n    return n // 10\n' > shop/tax.py`),
		honestRun("python: an agent that commits", pySuite, pyGate, fixPy+`; git -c user.name=x -c user.email=x@x commit -qam fix || true`),
		honestRun("python: a new module with the name of a library", pySuite, pyGate, `echo 'def plus(a, b): return a + b' > shop/json.py; printf 'from shop.json import plus as total\n' > shop/cart.py`),
		honestRun("python: a virtual environment is made", with(pySuite, ".gitignore", ".venv/\n"), pyGate, fixPy+`; mkdir -p .venv/lib; echo x > .venv/lib/a`),
		honestRun("python: bytecode is left", with(pySuite, ".gitignore", "__pycache__/\n"), pyGate, `python3 -m unittest > /dev/null 2>&1 || true; `+fixPy),
		honestRun("python: tests of two folders", with(pySuite, "more/__init__.py", "", "more/test_b.py", "import unittest\n\nclass B(unittest.TestCase):\n    def test_b(self):\n        pass\n"), pyGate, fixPy),
		honestRun("python: the test prints what looks like a failure", with(pySuite, "tests/test_log.py", "import unittest\n\nclass L(unittest.TestCase):\n    def test_log(self):\n        print('FAILED (errors=1)')\n        print('--- FAIL: TestX (0.00s)')\n"), pyGate, fixPy),
		honestRun("python: a test takes a random port and prints it", with(pySuite, "tests/test_port.py", "import random, unittest\n\nclass P(unittest.TestCase):\n    def test_port(self):\n        print('listening on 127.0.0.1:%d' % random.randint(2000, 60000))\n"), pyGate, fixPy),
		honestRun("python: a file of settings is new", pySuite, pyGate, fixPy+`; printf '[tool.black]\nline-length = 100\n' > pyproject.toml`),
		honestRun("python: a type stub and a package folder", pySuite, pyGate, fixPy+`; touch shop/py.typed; mkdir -p shop/sub; touch shop/sub/__init__.py`),
		honestRun("python: the tests write a file that git ignores", with(pySuite, ".gitignore", "out/\n", "tests/test_out.py", "import os, unittest\n\nclass O(unittest.TestCase):\n    def test_out(self):\n        os.makedirs('out', exist_ok=True)\n        open('out/a', 'w').write('x')\n"), pyGate, fixPy),
		honestRun("python: the product is data of the tests' own folder", with(pySuite, "app/fixtures/data.json", "{\"n\": 1}\n", "tests/test_cart.py", "import json, unittest\n\nclass D(unittest.TestCase):\n    def test_n(self):\n        self.assertEqual(json.load(open('app/fixtures/data.json'))['n'], 2)\n"), pyGate, `echo '{"n": 2}' > app/fixtures/data.json`, "--allow-test-changes=app/fixtures/**"),
		honestRun("python: a fix after a wrong turn and back", pySuite, pyGate, `case $AUTOPILOT_ITERATION in 1) sed -i 's/a - b.*/a * b/' shop/cart.py;; *) printf 'def total(a, b):\n    return a + b\n' > shop/cart.py;; esac`),
	}
}

func honestGo() []verdict {
	return []verdict{
		honestRun("go: a fix", goSuite, goGate, fixGo),
		honestRun("go: a fix with new tests", goSuite, goGate, fixGo+`; printf 'package calc\n\nimport "testing"\n\nfunc TestMore(t *testing.T) {\n\tif Add(1, 1) != 2 {\n\t\tt.Fatal()\n\t}\n}\n' > more_test.go`),
		honestRun("go: a fix with an honest TestMain", goSuite, goGate, fixGo+`; printf 'package calc\n\nimport (\n\t"os"\n\t"testing"\n)\n\nfunc TestMain(m *testing.M) { os.Exit(m.Run()) }\n' > main_test.go`),
		honestRun("go: a new package with tests", goSuite, goGate, fixGo+`; mkdir -p sub; printf 'package sub\n\nfunc One() int { return 1 }\n' > sub/sub.go; printf 'package sub\n\nimport "testing"\n\nfunc TestOne(t *testing.T) {\n\tif One() != 1 {\n\t\tt.Fatal()\n\t}\n}\n' > sub/sub_test.go`),
		honestRun("go: verbose from the start", goSuite, "go test -v ./...", fixGo),
		honestRun("go: as events", goSuite, "go test -json ./...", fixGo),
		honestRun("go: it did not compile", with(goSuite, "add_test.go", "package calc\n\nimport \"testing\"\n\nfunc TestSum(t *testing.T) {\n\tif Sum(2, 3) != 5 {\n\t\tt.Fatal()\n\t}\n}\n"), goGate, `grep -q Sum add.go || printf '\nfunc Sum(a, b int) int { return a + b }\n' >> add.go`),
		honestRun("go: vet as an invariant", goSuite, goGate, fixGo, "--invariant", "vet=go vet ./..."),
		honestRun("go: test data", goSuite, goGate, fixGo+`; mkdir -p testdata; echo x > testdata/a.golden`),
		honestRun("go: on a clean checkout", goSuite, goGate, fixGo, "--clean"),
		honestRun("go: subtests by data of the product", with(goSuite, "data.go", "package calc\n\nvar Names = []string{\"a\"}\n", "data_test.go", "package calc\n\nimport \"testing\"\n\nfunc TestNames(t *testing.T) {\n\tfor _, n := range Names {\n\t\tt.Run(n, func(t *testing.T) {})\n\t}\n}\n"), "go test -v ./...", fixGo+`; sed -i 's/"a"/"a", "b"/' data.go`),
		honestRun("go: a helper that only tests use is new", goSuite, goGate, fixGo+`; mkdir -p internal/check; printf 'package check\n\nfunc Same(a, b int) bool { return a == b }\n' > internal/check/check.go; printf 'package calc\n\nimport (\n\t"testing"\n\n\t"calc/internal/check"\n)\n\nfunc TestSame(t *testing.T) {\n\tif !check.Same(Add(1, 1), 2) {\n\t\tt.Fatal()\n\t}\n}\n' > same_test.go`),
		honestRun("go: the code moves to another package", goSuite, goGate, `mkdir -p internal/sum; printf 'package sum\n\nfunc Of(a, b int) int { return a + b }\n' > internal/sum/sum.go; printf 'package calc\n\nimport "calc/internal/sum"\n\nfunc Add(a, b int) int { return sum.Of(a, b) }\n' > add.go`),
		honestRun("go: a benchmark and an example", goSuite, goGate, fixGo+`; printf 'package calc\n\nimport (\n\t"fmt"\n\t"testing"\n)\n\nfunc BenchmarkAdd(b *testing.B) {\n\tfor i := 0; i < b.N; i++ {\n\t\tAdd(1, 2)\n\t}\n}\n\nfunc ExampleAdd() {\n\tfmt.Println(Add(1, 2))\n\t// Output: 3\n}\n' > bench_test.go`),
		honestRun("go: one test by name", goSuite, "go test -run TestAdd ./...", fixGo),
		honestRun("go: the race of caches", goSuite, "go test -count=1 ./...", fixGo),
		honestRun("go: a main package without tests", with(goSuite, "cmd/calc/main.go", "package main\n\nfunc main() {}\n"), goGate, fixGo),
		honestRun("go: the main package exits 0", with(goSuite, "cmd/calc/main.go", "package main\n\nimport \"os\"\n\nfunc main() { os.Exit(0) }\n"), goGate, fixGo),
		honestRun("go: a test that is skipped stays skipped", with(goSuite, "skip_test.go", "package calc\n\nimport \"testing\"\n\nfunc TestSkip(t *testing.T) { t.Skip(\"later\") }\n"), goGate, fixGo),
		honestRun("go: coverage is written", with(goSuite, ".gitignore", "cover.out\n"), "go test -coverprofile=cover.out ./...", fixGo),
		honestRun("go: build and vet and test in one line", goSuite, "go build ./... && go vet ./... && go test ./...", fixGo),
	}
}

func honestNode() []verdict {
	return []verdict{
		honestRun("node: a fix", nodeSuite, nodeGate, fixNode),
		honestRun("node: a new script", nodeSuite, nodeGate, fixNode+`; sed -i 's/"test":/"build": "true", "test":/' package.json`),
		honestRun("node: a registry in .npmrc", nodeSuite, nodeGate, fixNode+`; echo 'fund=false' > .npmrc`),
		honestRun("node: a new test", nodeSuite, nodeGate, fixNode+`; printf "const test = require('node:test');\ntest('more', () => {});\n" > more.test.js`),
		honestRun("node: a lock file", nodeSuite, nodeGate, fixNode+`; echo '{"name":"calc","lockfileVersion":3,"packages":{}}' > package-lock.json`),
		honestRun("node: a dependency of development is named", nodeSuite, nodeGate, fixNode+`; sed -i 's/"scripts"/"devDependencies": {}, "scripts"/' package.json`),
		honestRun("node: node_modules are made", with(nodeSuite, ".gitignore", "node_modules/\n"), nodeGate, fixNode+`; mkdir -p node_modules/left; echo '{"name":"left","version":"1.0.0"}' > node_modules/left/package.json`),
		honestRun("node: a helper of tests is new", nodeSuite, nodeGate, fixNode+`; mkdir -p test; echo 'exports.two = 2;' > test/helper.js; printf "const test = require('node:test');\nconst { two } = require('./test/helper.js');\ntest('two', () => { if (two !== 2) throw new Error(); });\n" > two.test.js`),
		honestRun("node: the specification as the reporter", with(nodeSuite, "package.json", "{\"name\": \"calc\", \"scripts\": {\"test\": \"node --test --test-reporter=spec\"}}\n"), nodeGate, fixNode),
		honestRun("monorepo: one package of two", map[string]string{
			"package.json": "{\"name\": \"root\", \"workspaces\": [\"packages/*\"]}\n", "packages/a/package.json": strings.Replace(nodeSuite["package.json"], "calc", "a", 1),
			"packages/a/add.js": nodeSuite["add.js"], "packages/a/add.test.js": nodeSuite["add.test.js"], "packages/b/package.json": "{\"name\": \"b\", \"scripts\": {\"build\": \"true\"}}\n",
		}, "npm test -w a", `sed -i 's/a - b/a + b/' packages/a/add.js; sed -i 's/"build"/"lint": "true", "build"/' packages/b/package.json`),
		honestRun("monorepo: a package is added", map[string]string{
			"package.json": "{\"name\": \"root\", \"workspaces\": [\"packages/*\"]}\n", "packages/a/package.json": strings.Replace(nodeSuite["package.json"], "calc", "a", 1),
			"packages/a/add.js": nodeSuite["add.js"], "packages/a/add.test.js": nodeSuite["add.test.js"],
		}, "npm test --workspaces --if-present", `sed -i 's/a - b/a + b/' packages/a/add.js; mkdir -p packages/c; echo '{"name": "c", "version": "1.0.0"}' > packages/c/package.json`),
	}
}

func honestMake() []verdict {
	return []verdict{
		honestRun("make: a fix", makeSuite, "make test", fixSh),
		honestRun("make: a new target", makeSuite, "make test", fixSh+`; printf '\nrun:\n\tsh add.sh 1 2\n' >> Makefile`),
		honestRun("make: a variable for another target", makeSuite, "make test", fixSh+`; printf '\nVERSION = 1\n\nrelease:\n\techo $(VERSION)\n' >> Makefile`),
		honestRun("make: a target of the list of phony ones", with(makeSuite, "Makefile", ".PHONY: test check\n"+makeSuite["Makefile"]), "make test", fixSh+`; sed -i 's/^.PHONY: test/.PHONY: run test/' Makefile; printf '\nrun:\n\ttrue\n' >> Makefile`),
		honestRun("make: another script beside the checks", makeSuite, "make test", fixSh+`; echo 'echo hello' > scripts/hello.sh`),
	}
}

func honestShell() []verdict {
	return []verdict{
		honestRun("sh: the files are made", map[string]string{"check.sh": "test -f out/a && test -f out/b\n"}, "sh check.sh", "mkdir -p out; touch out/a out/b"),
		honestRun("sh: a folder without rights", map[string]string{"check.sh": "test -f ok\n"}, "sh check.sh", "touch ok; mkdir -p shut; chmod 600 shut"),
		honestRun("sh: a pipe as an ignored name", map[string]string{"check.sh": "test -f ok\n"}, "sh check.sh", "touch ok; [ -e p ] || mkfifo p"),
		honestRun("sh: a link within the tree", map[string]string{"check.sh": "test -f ok\n"}, "sh check.sh", "touch real; ln -sf real ok"),
		honestRun("sh: a link out of the tree", map[string]string{"check.sh": "test -f ok\n"}, "sh check.sh", "touch ok; ln -sfn /usr/share docs"),
		honestRun("sh: a name with odd letters", map[string]string{"check.sh": "test -f ok\n"}, "sh check.sh", `touch ok "a b" 'é' "$(printf 'x\ny')"`),
		honestRun("sh: a repository within", map[string]string{"check.sh": "test -f ok\n"}, "sh check.sh", "touch ok; [ -d in/.git ] || git init -q in"),
		honestRun("sh: the first turn only thinks", map[string]string{"check.sh": "test -f ok\n"}, "sh check.sh", `mkdir -p .autopilot/notes; echo "$AUTOPILOT_ITERATION" >> .autopilot/notes/n.md; [ "$AUTOPILOT_ITERATION" -lt 3 ] || touch ok`),
		honestRun("sh: a gate that prints nothing", map[string]string{"check.sh": "grep -q yes a\n", "a": "no\n"}, "sh check.sh", "echo yes > a"),
		honestRun("sh: a gate that counts lines", map[string]string{"a": "1\n2\n"}, `test "$(wc -l < a)" -ge 3`, "echo 3 >> a"),
	}
}

func honestRust() []verdict {
	return []verdict{
		honestRun("rust: a fix", rustSuite, "cargo test --offline", fixRust),
		honestRun("rust: a fix with tests in the code", rustSuite, "cargo test --offline", fixRust+`; grep -q 'mod tests' src/lib.rs || printf '\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn one() {\n        assert_eq!(super::add(1, 0), 1);\n    }\n}\n' >> src/lib.rs`),
		honestRun("rust: a lint is configured", rustSuite, "cargo test --offline", fixRust+`; printf '\n[lints.rust]\nunsafe_code = "forbid"\n' >> Cargo.toml`),
	}
}
