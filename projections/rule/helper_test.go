package rule

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func helpersOf(files map[string]string) []string {
	src := source(files)
	p := defaults()
	var pinned []string
	for _, f := range src.Files {
		if p.pinned(f) {
			pinned = append(pinned, f)
		}
	}
	return p.Helpers(src, pinned).Paths
}

func TestModulesThatOnlyTestsReachArePinnedIfTheyAreForTests(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"python, by name":                     {map[string]string{"test_a.py": "from helpers.assertions import eq\nimport calc\n", "helpers/__init__.py": "", "helpers/assertions.py": "def eq(): pass\n", "calc.py": ""}, []string{"helpers/assertions.py"}},
		"python, by content":                  {map[string]string{"tests/test_a.py": "from common import Base\n", "common.py": "import unittest\nclass Base(unittest.TestCase): pass\n"}, []string{"common.py"}},
		"python, relative":                    {map[string]string{"app/test_a.py": "from .fakes import F\nfrom . import views\n", "app/fakes.py": "from app import more_fakes", "app/more_fakes.py": "", "app/views.py": ""}, []string{"app/fakes.py", "app/more_fakes.py"}},
		"python, used by the product":         {map[string]string{"test_a.py": "import assertions\nimport calc\n", "assertions.py": "", "calc.py": "import assertions\n"}, nil},
		"python, the product is for tests":    {map[string]string{"pyproject.toml": "[project]\nname = \"pytest-mock\"\n", "tests/test_a.py": "from pytest_mock import plugin\n", "src/pytest_mock/plugin.py": "import pytest\n", "src/pytest_mock/__init__.py": ""}, nil},
		"a library":                           {map[string]string{"tests/test_a.py": "from shapes import area, round_to\n", "shapes/area.py": "", "shapes/round_to.py": "", "shapes/__init__.py": ""}, nil},
		"javascript":                          {map[string]string{"a.test.js": "import { eq } from './support/expect.js'\nimport { add } from './add'\nconst h = require('./h')\n", "support/expect.js": "", "add.js": "", "h.js": "const assert = require('node:assert')\n"}, []string{"h.js", "support/expect.js"}},
		"typescript with names of javascript": {map[string]string{"src/a.spec.ts": "import x from './mocks.js'", "src/mocks.ts": ""}, []string{"src/mocks.ts"}},
		"go":                                  {map[string]string{"go.mod": "module x.org/a\n", "calc/calc_test.go": "package calc\nimport (\n\t\"testing\"\n\t\"x.org/a/internal/check\"\n\t\"x.org/a/num\"\n)\n", "internal/check/check.go": "package check\nimport \"testing\"\n", "num/num.go": "package num\n", "calc/calc.go": "package calc\n"}, []string{"internal/check/check.go"}},
		"go, used by the product":             {map[string]string{"go.mod": "module a\n", "a_test.go": "import \"a/testutil\"\n", "a.go": "import \"a/testutil\"\n", "testutil/t.go": "import \"testing\"\n"}, nil},
		"go, the package at the top":          {map[string]string{"go.mod": "module x.org/assert\n", "e/e_test.go": "import \"x.org/assert\"\n", "assert.go": "import \"testing\"\n"}, nil},
		"ruby":                                {map[string]string{"calc_test.rb": "require_relative 'support_asserts'\nrequire_relative 'calc'\n", "support_asserts.rb": "require 'minitest/assertions'\n", "calc.rb": ""}, []string{"support_asserts.rb"}},
	} {
		equal(t, name, helpersOf(c.files), c.want)
	}
}

func TestAProductThatOnlyTestsImportIsNeverPinned(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-z]{3,8}`).Filter(func(s string) bool { return !helperWords[s] })
		pkg, mod := word.Draw(t, "package"), word.Draw(t, "module")
		files := map[string]string{
			"tests/test_x.py": "from " + pkg + "." + mod + " import f\n", pkg + "/" + mod + ".py": "def f(): pass\n",
			"x.test.js": "import f from './" + pkg + "/" + mod + "'\n", pkg + "/" + mod + ".js": "export default 1\n",
			"go.mod": "module m\n", "x/x_test.go": "import \"m/" + pkg + "\"\n", pkg + "/" + mod + ".go": "package p\n",
		}
		if got := helpersOf(files); len(got) > 0 {
			t.Fatal(got)
		}
	})
}

func TestFilesOfFailingTestsArePinned(t *testing.T) {
	t.Parallel()
	files := []string{"calc.py", "checks/verify.py", "lib/x.js", "pkg/a.go", "shop/views.py", "spec.js"}
	slices.Sort(files)
	for id, want := range map[string][]string{
		"checks/verify.py::TestA::test_b": {"checks/verify.py"},
		"checks.verify.TestA.test_b":      {"checks/verify.py"},
		"test_b (checks.verify.TestA)":    {"checks/verify.py"},
		"spec.js > adds":                  {"spec.js"},
		"./spec.js: adds":                 {"spec.js"},
		"example.com/calc.TestA":          nil,
		"adds":                            nil,
		"calc":                            nil,
	} {
		equal(t, id, PinsOfFailing([]string{id}, files), want)
	}
}
