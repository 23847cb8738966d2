package rule

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// edited are the violations of a run with that gate in which an agent leaves
// the files as they are in is.
func edited(gate string, was, is map[string]string) []string {
	pins := defaults().With(gatePins([]Command{{Text: gate}}, was))
	var changes []Change
	for name, text := range is {
		old, known := was[name]
		switch {
		case !known:
			changes = append(changes, Change{Path: name, Kind: Added, New: []byte(text)})
		case old != text:
			changes = append(changes, Change{Path: name, Kind: Changed, Old: []byte(old), New: []byte(text)})
		}
	}
	for name := range was {
		if _, kept := is[name]; !kept {
			changes = append(changes, Change{Path: name, Kind: Removed})
		}
	}
	return Violations(changes, pins)
}

// edit is a change of some of the files of a tree.
type edit struct {
	name  string
	files map[string]string
	want  []string
}

func testEdits(t *testing.T, gate string, was map[string]string, list []edit) {
	t.Helper()
	for _, e := range list {
		is := maps.Clone(was)
		maps.Copy(is, e.files)
		maps.DeleteFunc(is, func(_, text string) bool { return text == "-" })
		equal(t, gate+": "+e.name, edited(gate, was, is), e.want)
	}
}

const calcMake = `GO ?= go
SRC := $(wildcard *.go)
VERSION = $(shell git describe)
OUT := build
include common.mk
-include local.mk

.PHONY: test build

build: $(SRC)
	$(GO) build -o $(OUT)/calc

test: lint unit
	./check.sh

unit:
	$(GO) test $(TESTFLAGS) ./...

lint: ; $(GO) vet ./...

release:
	tar cf $(OUT)/x.tar $(VERSION)
`

func TestOnlyWhatAGoalOfMakeReachesIsPinned(t *testing.T) {
	t.Parallel()
	was := map[string]string{"Makefile": calcMake, "common.mk": "TESTFLAGS = -count=1\nCOLOR = 1\n", "check.sh": ". scripts/lib.sh\nverify\n", "scripts/lib.sh": "verify() { :; }\n", "calc.go": ""}
	change := func(old, new string) map[string]string {
		if !strings.Contains(calcMake, old) {
			t.Fatalf("no %q", old)
		}
		return map[string]string{"Makefile": strings.Replace(calcMake, old, new, 1)}
	}
	bad := []string{"Makefile"}
	testEdits(t, "make test", was, []edit{
		{"nothing", nil, nil},
		{"a new target", map[string]string{"Makefile": calcMake + "\nrun: build\n\t./build/calc\n"}, nil},
		{"a new target that is phony", change(".PHONY: test build", ".PHONY: test build run\nrun:\n\tgo run .\n"), nil},
		{"a second list of phony ones", map[string]string{"Makefile": calcMake + ".PHONY: run\nrun:\n\tgo run .\n"}, nil},
		{"a new variable", change("OUT := build", "OUT := build\nPORT ?= 8080"), nil},
		{"a comment", change("test: lint", "# all of it\ntest: lint"), nil},
		{"spaces", change("test: lint unit", "test:   lint  unit   # both"), nil},
		{"another target", change("build -o", "build -trimpath -o"), nil},
		{"a target that is not reached", change("tar cf", "tar czf"), nil},
		{"an edit of the first target", change("build: $(SRC)", "build: $(SRC) gen\ngen:\n\tgo generate\nbuild:"), nil},
		{"a recipe", change("./check.sh", "true"), bad},
		{"a step less", change("test: lint unit", "test: lint"), bad},
		{"a step more", change("test: lint unit", "test: cheat lint unit"), bad},
		{"a recipe of a step", change("test $(TESTFLAGS)", "test -run Nothing"), bad},
		{"a rule for the target once more", map[string]string{"Makefile": calcMake + "\ntest: cheat\ncheat:\n\tcp x y\n"}, bad},
		{"a rule for a step once more", map[string]string{"Makefile": calcMake + "\nunit:\n\ttrue\n"}, bad},
		{"a rule for a script", map[string]string{"Makefile": calcMake + "\ntest: check.sh\n"}, bad},
		{"a variable", change("GO ?= go", "GO = true"), bad},
		{"a variable set once more", map[string]string{"Makefile": calcMake + "\nTESTFLAGS = -run Nothing\n"}, bad},
		{"a variable of the target", map[string]string{"Makefile": calcMake + "\ntest: GO = true\n"}, bad},
		{"a variable of all targets", map[string]string{"Makefile": calcMake + "\n%: GO = true\n"}, bad},
		{"the shell", map[string]string{"Makefile": calcMake + "\nSHELL = ./fake\n"}, bad},
		{"flags of the shell", map[string]string{"Makefile": calcMake + "\n.SHELLFLAGS = -c true;\n"}, bad},
		{"flags of make", map[string]string{"Makefile": calcMake + "\nMAKEFLAGS += -n\n"}, bad},
		{"flags of go", map[string]string{"Makefile": calcMake + "\nGOFLAGS := -run=Nothing\n"}, bad},
		{"an exported variable", map[string]string{"Makefile": calcMake + "\nexport HIDDEN = 1\n"}, bad},
		{"all exported", map[string]string{"Makefile": calcMake + "\nexport\n"}, bad},
		{"errors ignored", map[string]string{"Makefile": calcMake + "\n.IGNORE:\n"}, bad},
		{"errors of a target ignored", map[string]string{"Makefile": calcMake + "\n.IGNORE: unit\n"}, bad},
		{"errors of another target ignored", map[string]string{"Makefile": calcMake + "\n.IGNORE: release\n"}, nil},
		{"a target that is not phony any more", change(".PHONY: test build", ".PHONY: build"), bad},
		{"an include", map[string]string{"Makefile": "include more.mk\n" + calcMake}, bad},
		{"an include that may be absent", map[string]string{"Makefile": "-include more.mk\n" + calcMake}, bad},
		{"an eval", map[string]string{"Makefile": calcMake + "\n$(eval test: ; true)\n"}, bad},
		{"a condition around it", change("unit:\n", "ifdef NO\nunit:\n"), bad},
		{"a new target under a condition", map[string]string{"Makefile": calcMake + "\nifdef DEV\nwatch:\n\tentr go run .\nendif\n"}, nil},
		{"the makefile is gone", map[string]string{"Makefile": "-"}, bad},
		{"a makefile that goes first", map[string]string{"GNUmakefile": "test:\n\ttrue\n"}, []string{"GNUmakefile"}},
		{"what it includes: used", map[string]string{"common.mk": "TESTFLAGS = -run Nothing\nCOLOR = 1\n"}, []string{"common.mk"}},
		{"what it includes: not used", map[string]string{"common.mk": "TESTFLAGS = -count=1\nCOLOR = 2\nfmt:\n\tgofmt -w .\n"}, nil},
		{"what it would include", map[string]string{"local.mk": "GO = true\n"}, []string{"local.mk"}},
		{"a script of the recipe", map[string]string{"check.sh": "true\n"}, []string{"check.sh"}},
		{"a script that that sources", map[string]string{"scripts/lib.sh": "verify() { true; }\n"}, []string{"scripts/lib.sh"}},
		{"the product", map[string]string{"calc.go": "package calc\n", "README.md": "x"}, nil},
	})
}

func TestTheFirstTargetOfAMakefileIsPinnedWhereNoneIsAskedFor(t *testing.T) {
	t.Parallel()
	const text = "CFLAGS = -O2\nall: test\ntest:\n\t./t.sh\n"
	testEdits(t, "make", map[string]string{"Makefile": text, "t.sh": ""}, []edit{
		{"a target behind it", map[string]string{"Makefile": text + "run:\n\t./a.out\n"}, nil},
		{"a target before it", map[string]string{"Makefile": "run:\n\t./a.out\n" + text}, []string{"Makefile"}},
		{"another default", map[string]string{"Makefile": text + ".DEFAULT_GOAL := run\nrun:\n\ttrue\n"}, []string{"Makefile"}},
		{"a step", map[string]string{"Makefile": strings.Replace(text, "./t.sh", "true", 1)}, []string{"Makefile"}},
	})
}

func TestAFileWithTheNameOfATargetIsAViolation(t *testing.T) {
	t.Parallel()
	const text = "check:\n\t./t.sh\nout.txt:\n\t./gen > out.txt\n"
	was := map[string]string{"Makefile": text, "t.sh": ""}
	testEdits(t, "make check out.txt", was, []edit{
		{"a file", map[string]string{"check": ""}, []string{"check"}},
		{"a folder", map[string]string{"check/x": ""}, []string{"check/x"}},
		{"what a recipe makes", map[string]string{"out.txt": ""}, nil},
	})
	was["Makefile"] = ".PHONY: check\n" + text
	testEdits(t, "make check", was, []edit{{"a phony one", map[string]string{"check": ""}, nil}})
}

func TestWhereAMakefileComputesNamesOnlyAdditionsAreFree(t *testing.T) {
	t.Parallel()
	const text = "PKGS = a b\ndefine suite\ntest-$(1):\n\t./t.sh $(1)\nendef\n$(foreach p,$(PKGS),$(eval $(call suite,$(p))))\ntest: $(PKGS:%=test-%)\nbuild:\n\tcc x.c\n"
	testEdits(t, "make test", map[string]string{"Makefile": text, "t.sh": ""}, []edit{
		{"a new target", map[string]string{"Makefile": text + "serve:\n\t./a.out\n.PHONY: serve\n"}, nil},
		{"a new variable", map[string]string{"Makefile": "PORT = 80\n" + text}, nil},
		{"a target of computed name", map[string]string{"Makefile": text + "test-a:\n\ttrue\n"}, []string{"Makefile"}},
		{"a variable that is used", map[string]string{"Makefile": text + "PKGS = a\n"}, []string{"Makefile"}},
		{"what was there", map[string]string{"Makefile": strings.Replace(text, "./t.sh", "true", 1)}, []string{"Makefile"}},
		{"an eval more", map[string]string{"Makefile": text + "$(eval test: x)\n"}, []string{"Makefile"}},
		{"something gone", map[string]string{"Makefile": strings.Replace(text, "PKGS = a b\n", "", 1)}, []string{"Makefile"}},
	})
}

func TestPatternsAndPartsOfMakeAreFollowed(t *testing.T) {
	t.Parallel()
	const text = "TESTS := $(patsubst %.c,%.run,$(wildcard t/*.c))\ncheck: $(TESTS)\n\t$(MAKE) -C sub verify\n%.run: %.c\n\t./run1.sh $<\n%.html: %.md\n\tpandoc $<\n"
	was := map[string]string{"Makefile": text, "run1.sh": "", "sub/Makefile": "verify:\n\tsh v.sh\nother:\n\ttrue\n", "sub/v.sh": "", "t/a.c": ""}
	testEdits(t, "make check", was, []edit{
		{"a pattern that is reached", map[string]string{"Makefile": strings.Replace(text, "./run1.sh", "true", 1)}, []string{"Makefile"}},
		{"one that is not", map[string]string{"Makefile": strings.Replace(text, "pandoc $<", "pandoc -s $<", 1)}, nil},
		{"a rule for one of them", map[string]string{"Makefile": text + "t/a.run:\n\ttrue\n"}, []string{"Makefile"}},
		{"a pattern more", map[string]string{"Makefile": text + "t/%.run: t/%.c\n\ttrue\n"}, []string{"Makefile"}},
		{"a pattern for other files", map[string]string{"Makefile": text + "%.pdf: %.md\n\tpandoc $<\n"}, nil},
		{"a makefile below", map[string]string{"sub/Makefile": "verify:\n\ttrue\nother:\n\ttrue\n"}, []string{"sub/Makefile"}},
		{"what is not reached there", map[string]string{"sub/Makefile": "verify:\n\tsh v.sh\nother:\n\tfalse\n"}, nil},
		{"a script there", map[string]string{"sub/v.sh": "true"}, []string{"sub/v.sh"}},
	})
}

func TestAFreshTargetNeverViolates(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		targets := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z]{2,8}`), 1, 6, rapid.ID[string]).Draw(t, "targets")
		var b strings.Builder
		for i, n := range targets {
			needs := rapid.SliceOfN(rapid.SampledFrom(targets), 0, 2).Draw(t, "needs")
			fmt.Fprintf(&b, "%s: %s $(X%d)\n\techo $(X%d) %s\n", n, strings.Join(needs, " "), i, i, n)
			if rapid.Bool().Draw(t, "variable") {
				fmt.Fprintf(&b, "X%d := %s\n", i, rapid.SampledFrom([]string{"a", "$(shell ls)", "$(wildcard *.c)", "$(X0)"}).Draw(t, "value"))
			}
		}
		text := b.String()
		if rapid.Bool().Draw(t, "eval") {
			text += "$(eval $(shell ./gen))\n"
		}
		fresh := rapid.StringMatching(`[a-z]{9,12}`).Draw(t, "fresh")
		more := rapid.SampledFrom([]string{"%s:\n\techo hi\n", ".PHONY: %[1]s\n%[1]s:\n\techo hi\n", "%s: ; @true\n", "%s::\n\ttrue\n\n"}).Draw(t, "rule")
		gate := "make " + rapid.SampledFrom(targets).Draw(t, "goal")
		got := edited(gate, map[string]string{"Makefile": text}, map[string]string{"Makefile": text + fmt.Sprintf(more, fresh)})
		if len(got) > 0 {
			t.Fatalf("%s with %q in\n%s: %v", gate, fresh, text, got)
		}
	})
}

func TestAFreshScriptOfAPackageNeverViolates(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-oq-z]{2,6}(:[a-z]{2,4})?`), 1, 6, rapid.ID[string]).Draw(t, "names")
		var list []string
		for _, n := range names {
			list = append(list, fmt.Sprintf("%q:%q", n, rapid.SampledFrom([]string{"jest", "npm run " + names[0], "run-s " + names[0], "tsc && node x.js", "yarn " + names[0]}).Draw(t, "body")))
		}
		pkg := func(scripts []string) string { return `{"name":"a","scripts":{` + strings.Join(scripts, ",") + `}}` }
		fresh := fmt.Sprintf("%q:%q", rapid.StringMatching(`[a-oq-z]{7,9}`).Draw(t, "fresh"), "vite build")
		gate := rapid.SampledFrom([]string{"npm run ", "yarn ", "pnpm ", "bun run ", "run-s "}).Draw(t, "program") + rapid.SampledFrom(names).Draw(t, "script")
		is := pkg(slices.Insert(slices.Clone(list), rapid.IntRange(0, len(list)).Draw(t, "at"), fresh))
		if got := edited(gate, map[string]string{"package.json": pkg(list)}, map[string]string{"package.json": is}); len(got) > 0 {
			t.Fatalf("%s: %s: %v", gate, is, got)
		}
	})
}

func TestProgramsThatStartEachOtherAreFollowed(t *testing.T) {
	t.Parallel()
	was := map[string]string{
		"Makefile": "test:\n\tcd web && npm test\n\t@bash -c 'set -e; . ci/env.sh; ./ci/unit.sh'\n\tpytest -q -c ci/pytest.ini checks\n", "web/package.json": `{"scripts":{"test":"make -C .. deep && node --test"}}`,
		"ci/env.sh": "", "ci/unit.sh": "just unit\n", "ci/pytest.ini": "", "justfile": "unit:\n    task lint\nother:\n    true\n", "Taskfile.yml": "version: '3'\ntasks:\n  lint: sh ci/lint.sh\n", "ci/lint.sh": "", "deep.mk": "",
	}
	was["Makefile"] += "include deep.mk\n"
	was["deep.mk"] = "deep:\n\tsh ci/deep.sh\n"
	was["ci/deep.sh"] = ""
	for _, gate := range []string{"make test", "time make -j2 test 2>&1 | tee log", "env CI=1 timeout 60 make test", "sh -c 'make test'", "make -s -k test CI=1"} {
		for file, text := range map[string]string{
			"ci/env.sh": "x", "ci/unit.sh": "x", "ci/pytest.ini": "x", "ci/lint.sh": "x", "ci/deep.sh": "x", "deep.mk": "deep:\n\ttrue\n", "justfile": "unit:\n    true\nother:\n    true\n",
			"Taskfile.yml": "version: '3'\ntasks:\n  lint: 'true'\n", "web/package.json": `{"scripts":{"test":"true"}}`,
		} {
			is := maps.Clone(was)
			is[file] = text
			equal(t, gate+": "+file, edited(gate, was, is), []string{file})
		}
		is := maps.Clone(was)
		is["justfile"] += "run:\n    ./a\n"
		is["Taskfile.yml"] += "  run: ./a\n"
		is["Makefile"] += "run:\n\t./a\n"
		is["web/package.json"] = `{"scripts":{"test":"make -C .. deep && node --test","build":"vite build"},"dependencies":{"vite":"5"}}`
		equal(t, gate+": additions", edited(gate, was, is), []string(nil))
	}
}
