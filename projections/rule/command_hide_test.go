package rule

import "testing"

func TestHidesNamesWhatKeepsAnExitCodeFromBeingSeen(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"go test ./...":                                           "",
		"go vet ./... && go test ./...":                           "",
		"cd sub; go test":                                         "",
		"echo start; go test":                                     "",
		"go test 2>&1 | tail -20":                                 "a pipe",
		"go test 2>&1 | tee log":                                  "a pipe",
		"go test |& cat":                                          "a pipe",
		"set -o pipefail; go test | tee log":                      "",
		"set -euo pipefail\ngo test | tee log\nnpm test":          "",
		"echo x | go run .":                                       "",
		"find . -name '*.sh' | xargs shellcheck":                  "",
		"go test || true":                                         "|| true",
		"go test || :":                                            "|| :",
		"go test || echo failed":                                  "|| echo",
		"go test || exit 0":                                       "|| exit",
		"go test || exit":                                         "",
		"go test || exit 1":                                       "",
		"go test || { cat log; exit 1; }":                         "",
		"go test || { cat log; echo no; }":                        "|| cat",
		"go test > log || (cat log; false)":                       "",
		"mkdir x || true; go test":                                "",
		"go test; echo done":                                      "; echo",
		"go test; exit 0":                                         "; exit",
		"go test; npm test":                                       "; npm",
		"set -e; go test; npm test":                               "",
		"set -e; set +e; go test; npm test":                       "; npm",
		"go test || exit 1; npm test":                             "",
		"go test &":                                               "&",
		"for d in a b; do (cd $d && go test); done":               "a loop",
		"for d in a b; do (cd $d && go test) || exit 1; done":     "",
		"set -e; for d in a b; do go test ./$d; done":             "",
		"if go test; then echo ok; else exit 1; fi":               "",
		"sh -c 'go test | tail'":                                  "a pipe",
		"bash -o pipefail -c 'go test | tail'":                    "",
		"timeout 60 bash -c 'go test || true'":                    "|| true",
		"f() { go test | tail; }; f":                              "a pipe",
		"make -i test":                                            "make -i",
		"make -C dir test":                                        "",
		"make -k test":                                            "",
		"go test '":                                               "",
		"go test; exit $?":                                        "",
		"go test; rc=$?; rm -f x; exit $rc":                       "",
		"go test; [ $? -eq 0 ]":                                   "",
		"for d in a b; do go test ./$d || rc=1; done; exit $rc":   "",
		"go test || rc=1":                                         "||",
		"go test | tee log; exit ${PIPESTATUS[0]}":                "",
		"npm start & sleep 1; npm run e2e":                        "",
		"npm start & npx wait-on 80 && npm run e2e":               "",
		"npm start & p=$!; npm run e2e; rc=$?; kill $p; exit $rc": "",
		"go test ./a & go test ./b & wait":                        "&",
		"go vet & go test":                                        "&",
		"! grep -rn TODO src":                                     "",
		"! git diff --quiet && go test":                           "",
		"! go test":                                               "!",
		"set -e; ! grep -q x y; go test":                          "",
		"if go test; then echo ok; fi":                            "if",
		"if ! go test; then echo failed; fi":                      "if",
		"if ! go test; then echo failed; exit 1; fi":              "",
		"if [ -d web ]; then npm test; fi":                        "",
		"if command -v golint; then golint; fi":                   "",
		"if grep -q FIXME src; then exit 1; fi":                   "",
		"if make check; then :; else exit 3; fi":                  "",
		"time go test | tail":                                     "a pipe",
		"trap 'exit 0' EXIT; go test":                             "trap",
		"trap 'rm -rf tmp' EXIT; go test":                         "",
		"mvn -fn test":                                            "mvn -fn",
		"ruff check --exit-zero":                                  "ruff --exit-zero",
		"poetry run flake8 --exit-zero":                           "flake8 --exit-zero",
		"rspec --failure-exit-code=0":                             "rspec --failure-exit-code=0",
		"rspec --failure-exit-code 1":                             "",
		"":                                                        "",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			h := Hides(Command{Text: text})
			equal(t, "hides", h.What, want)
			if h.Instead != "" {
				equal(t, "what "+h.Instead+" hides", Hides(Command{Text: h.Instead}), Hidden{})
			}
		})
	}
	equal(t, "of words", Hides(Command{Argv: []string{"sh", "-c", "go test | tail"}}), Hidden{"", "a pipe", "sh -c 'go test'"})
	equal(t, "of words with a bar", Hides(Command{Argv: []string{"go", "test", "|", "tail"}}), Hidden{})
	equal(t, "of words with an option", Hides(Command{Argv: []string{"make", "-ki", "test"}}), Hidden{"", "make -i", "make -k test"})
}

func TestTheCommandThatHidesNothingIsKnown(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"go test ./... 2>&1 | tail -20":              "go test ./... 2>&1",
		"go test ./... | tee log":                    "bash -o pipefail -c 'go test ./... | tee log'",
		"cd web && npm test | grep -v noise":         "bash -o pipefail -c 'cd web && npm test | grep -v noise'",
		"bash -c 'go test | tee log'":                "bash -c 'set -o pipefail; go test | tee log'",
		"sh -c 'go test | tee log'":                  "",
		"go vet ./... && go test ./... || true":      "go vet ./... && go test ./...",
		"(cd web && npm test) || true":               "(cd web && npm test)",
		"go test || echo failed":                     "go test || { echo failed; exit 1; }",
		"go test || { cat log; echo no; }":           "go test || { cat log; echo no; exit 1; }",
		"go test; echo done":                         "set -e; go test; echo done",
		"go test; exit 0":                            "set -e; go test; exit 0",
		"for d in a b; do go test ./$d; done":        "set -e; for d in a b; do go test ./$d; done",
		"go test ./a & go test ./b & wait":           "set -e; go test ./a; go test ./b; wait",
		"! go test ./...":                            "go test ./...",
		"make -ik test":                              "make -k test",
		"make -i test":                               "make test",
		"flake8 --exit-zero src":                     "flake8 src",
		"golangci-lint run --issues-exit-code 0":     "golangci-lint run",
		"if go test; then echo ok; fi":               "if go test; then echo ok; else exit 1; fi",
		"if go test; then echo ok; else echo no; fi": "if go test; then echo ok; else echo no; exit 1; fi",
		"go test || true; npm test | tail -5":        "set -e; go test; npm test",
		"timeout 60 bash -c 'go test || true'":       "timeout 60 bash -c 'go test'",
		"trap 'exit 0' EXIT; go test":                "",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			h := Hides(Command{Text: text})
			equal(t, "instead", h.Instead, want)
			if h.What == "" {
				t.Error("nothing is hidden")
			}
			if want != "" {
				equal(t, "what is hidden then", Hides(Command{Text: want}), Hidden{})
			}
		})
	}
}

func TestVerboseAsksTheRunnersThatHaveAVariable(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		was  Tests
		text string
		want map[string]string
	}{
		"none":                    {Tests{}, "npm test", map[string]string{}},
		"go":                      {Tests{}, "go test ./...", map[string]string{"GOFLAGS": "-v"}},
		"go that tests nothing":   {Tests{}, "go build ./...", map[string]string{}},
		"what make has run":       {Tests{Runners: []string{"go", "pytest"}}, "make test", map[string]string{"GOFLAGS": "-v", "PYTEST_ADDOPTS": "-rfEsxXp"}},
		"pytest behind python":    {Tests{}, "python -m pytest -q", map[string]string{"PYTEST_ADDOPTS": "-rfEsxXp"}},
		"pytest behind a manager": {Tests{}, "uv run pytest", map[string]string{"PYTEST_ADDOPTS": "-rfEsxXp"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			equal(t, "variables", Verbose(c.was, Command{Text: c.text}), c.want)
		})
	}
}

func TestWhatACommandReachesCanHideExitCodesToo(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"package.json":   `{"workspaces":["a"],"scripts":{"test":"jest || true","build":"tsc | cat","pretest":"rm -rf out || true","ok":"jest"}}`,
		"a/package.json": `{"scripts":{"test":"vitest run | tee log"}}`,
		"Makefile":       "OUT = log\ntest: prepare\n\t-go test ./...\n\tgo vet ./... | tail -3\nprepare:\n\t-rm -f x\n\tdocker build . | tail\nlint:\n\tgolangci-lint run > $(OUT) || true\nok:\n\tgo test ./... 2>&1\n",
		"check.sh":       "#!/bin/sh\nnpm ci\nnpm run ok\ngo test ./... | tail -20\n",
		"strict.sh":      "#!/bin/bash\nset -euo pipefail\nrm x || true\ngo test ./... | tail -20\n",
	}
	for command, want := range map[string][]Hidden{
		"npm test":            {{"script test of package.json", "|| true", "jest"}},
		"npm run ok":          nil,
		"npm test -w a":       {{"script test of a/package.json", "a pipe", "bash -o pipefail -c 'vitest run | tee log'"}},
		"make test":           {{"target test of Makefile", "-", "go test ./..."}, {"target test of Makefile", "a pipe", "go vet ./..."}},
		"make lint":           {{"target lint of Makefile", "|| true", ""}},
		"make ok":             nil,
		"./check.sh":          {{"check.sh", "a pipe", ""}},
		"./strict.sh":         nil,
		"npm test | tail":     {{"", "a pipe", "npm test"}, {"script test of package.json", "|| true", "jest"}},
		"sh -c './check.sh'":  {{"check.sh", "a pipe", ""}},
		"go test ./... | cat": {{"", "a pipe", "go test ./..."}},
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			equal(t, "hidden", HidesIn(Command{Text: command}, source(files)), want)
		})
	}
}
