package rule

import "testing"

func TestHidesNamesWhatKeepsAnExitCodeFromBeingSeen(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"go test ./...":                                       "",
		"go vet ./... && go test ./...":                       "",
		"cd sub; go test":                                     "",
		"echo start; go test":                                 "",
		"go test 2>&1 | tail -20":                             "a pipe",
		"go test 2>&1 | tee log":                              "a pipe",
		"go test |& cat":                                      "a pipe",
		"set -o pipefail; go test | tee log":                  "",
		"set -euo pipefail\ngo test | tee log\nnpm test":      "",
		"echo x | go run .":                                   "",
		"find . -name '*.sh' | xargs shellcheck":              "",
		"go test || true":                                     "|| true",
		"go test || :":                                        "|| :",
		"go test || echo failed":                              "|| echo",
		"go test || exit 0":                                   "|| exit",
		"go test || exit":                                     "",
		"go test || exit 1":                                   "",
		"go test || { cat log; exit 1; }":                     "",
		"go test || { cat log; echo no; }":                    "|| cat",
		"go test > log || (cat log; false)":                   "",
		"mkdir x || true; go test":                            "",
		"go test; echo done":                                  "; echo",
		"go test; exit 0":                                     "; exit",
		"go test; npm test":                                   "; npm",
		"set -e; go test; npm test":                           "",
		"set -e; set +e; go test; npm test":                   "; npm",
		"go test || exit 1; npm test":                         "",
		"go test &":                                           "&",
		"for d in a b; do (cd $d && go test); done":           "a loop",
		"for d in a b; do (cd $d && go test) || exit 1; done": "",
		"set -e; for d in a b; do go test ./$d; done":         "",
		"if go test; then echo ok; else exit 1; fi":           "",
		"sh -c 'go test | tail'":                              "a pipe",
		"bash -o pipefail -c 'go test | tail'":                "",
		"timeout 60 bash -c 'go test || true'":                "|| true",
		"f() { go test | tail; }; f":                          "a pipe",
		"make -i test":                                        "make -i",
		"make -C dir test":                                    "",
		"make -k test":                                        "",
		"go test '":                                           "",
		"":                                                    "",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			equal(t, "hides", Hides(Command{Text: text}), want)
		})
	}
	equal(t, "of words", Hides(Command{Argv: []string{"sh", "-c", "go test | tail"}}), "a pipe")
	equal(t, "of words with a bar", Hides(Command{Argv: []string{"go", "test", "|", "tail"}}), "")
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
