package rule_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/projections/rule"
)

// addsLine is a diff that adds one line to a file.
func addsLine(file, line string) string {
	return fmt.Sprintf("diff --git a/%[1]s b/%[1]s\n--- a/%[1]s\n+++ b/%[1]s\n@@ -4,0 +5 @@\n+%s\n", file, line)
}

func TestAnAddedSuppressionIsFound(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, line, kind string }{
		{"a.py", "import os  # noqa: F401", "noqa"},
		{"a.py", "# flake8: noqa", "noqa"},
		{"a.py", "x = f()  # type: ignore[arg-type]", "type: ignore"},
		{"a.py", "# mypy: ignore-errors", "mypy: ignore-errors"},
		{"a.py", "def f():  # pylint: disable=too-many-args", "pylint: disable"},
		{"a.py", "x = 1  # pyright: ignore", "pyright: ignore"},
		{"a.pyi", "# pyright: reportUnknownMember=false", "pyright: ignore"},
		{"a.py", "    except E:  # pragma: no cover", "pragma: no cover"},
		{"a.py", "eval(x)  # nosec B307", "nosec"},
		{"tests/test_a.py", "@pytest.mark.skip(reason='later')", "pytest.mark.skip"},
		{"tests/test_a.py", "pytestmark = pytest.mark.xfail", "pytest.mark.skip"},
		{"tests/test_a.py", "    pytest.skip('no')", "pytest.skip"},
		{"tests/test_a.py", "@unittest.skipIf(True, '')", "unittest.skip"},
		{"tests/test_a.py", "    @unittest.expectedFailure", "unittest.skip"},
		{"tests/test_a.py", "        self.skipTest('x')", "skipTest"},
		{"conftest.py", "collect_ignore = ['test_a.py']", "collect_ignore"},
		{"a.go", "	f() //nolint:errcheck", "nolint"},
		{"a.go", "//lint:ignore U1000 later", "lint:ignore"},
		{"a.go", "	exec(x) // #nosec G204", "#nosec"},
		{"a_test.go", "	t.Skip(\"flaky\")", "t.Skip"},
		{"a_test.go", "	s.T().SkipNow()", "t.Skip"},
		{"a_test.go", "//go:build ignore", "go:build ignore"},
		{"a_test.go", "	FIt(\"works\", func() {", "ginkgo skip or focus"},
		{"a.ts", "// eslint-disable-next-line no-console", "eslint-disable"},
		{"a.js", "/* eslint-disable */", "eslint-disable"},
		{"a.vue", "// @ts-ignore", "@ts-ignore"},
		{"a.tsx", "  // @ts-expect-error later", "@ts-expect-error"},
		{"a.ts", "// @ts-nocheck", "@ts-nocheck"},
		{"a.ts", "// biome-ignore lint/a: b", "biome-ignore"},
		{"a.js", "/* istanbul ignore next */", "istanbul ignore"},
		{"a.js", "/* c8 ignore start */", "c8 ignore"},
		{"a.js", "/* v8 ignore next 3 */", "v8 ignore"},
		{"a.test.js", "it.skip('adds', () => {", "test.skip"},
		{"a.test.js", "  describe.only('x', () => {", "test.skip"},
		{"a.test.js", "test.concurrent.skip('x', f)", "test.skip"},
		{"a.test.js", "test.describe.fixme('x', f)", "test.skip"},
		{"a.test.js", "Deno.test.ignore('x', f)", "test.skip"},
		{"a.spec.ts", "  xit('adds', () => {", "xit"},
		{"a.spec.ts", "fdescribe('adds', () => {", "xit"},
		{"a.test.mjs", "test('adds', { skip: true }, () => {", "skip: true"},
		{"src/a.rs", "#[allow(dead_code)]", "#[allow]"},
		{"src/a.rs", "#![allow(clippy::all)]", "#[allow]"},
		{"src/a.rs", "#[cfg_attr(not(test), allow(unused))]", "#[allow]"},
		{"src/a.rs", "    #[ignore = \"slow\"]", "#[ignore]"},
		{"src/a.rs", "#[cfg_attr(coverage_nightly, coverage(off))]", "#[coverage(off)]"},
		{"A.java", "@SuppressWarnings(\"unchecked\")", "@SuppressWarnings"},
		{"A.kt", "@file:Suppress(\"X\")", "@SuppressWarnings"},
		{"ATest.java", "    @Disabled(\"later\")", "@Disabled"},
		{"ATest.java", "    @Ignore", "@Ignore"},
		{"ATest.java", "    @Test(enabled = false)", "enabled = false"},
		{"A.cs", "#pragma warning disable CS0168", "#pragma warning disable"},
		{"ATests.cs", "    [Fact(Skip = \"later\")]", "Skip ="},
		{"ATests.cs", "    [Ignore(\"later\")]", "[Ignore]"},
		{"a.cpp", "int x; // NOLINT(foo)", "NOLINT"},
		{"a.c", "#pragma GCC diagnostic ignored \"-Wall\"", "#pragma diagnostic ignored"},
		{"a_test.cc", "  GTEST_SKIP();", "GTEST_SKIP"},
		{"a_test.cc", "TEST(Shop, DISABLED_Sum) {", "DISABLED_"},
		{"a.rb", "x = 1 # rubocop:disable Lint/Foo", "rubocop:disable"},
		{"a.rb", "# :nocov:", ":nocov:"},
		{"a_spec.rb", "  xit 'adds' do", "skip"},
		{"a_spec.rb", "  it 'adds', skip: true do", "skip: true"},
		{"a.php", "f(); // phpcs:ignore", "phpcs:ignore"},
		{"a.php", "/** @phpstan-ignore-next-line */", "@phpstan-ignore"},
		{"a.php", " * @psalm-suppress MixedArgument", "@psalm-suppress"},
		{"ATest.php", "    $this->markTestSkipped();", "markTestSkipped"},
		{"a.swift", "// swiftlint:disable force_cast", "swiftlint:disable"},
		{"ATests.swift", "        throw XCTSkip(\"x\")", "XCTSkip"},
		{"a.dart", "// ignore: unused_import", "ignore:"},
		{"a_test.exs", "  @tag :skip", "@tag :skip"},
		{"run.sh", "# shellcheck disable=SC2086", "shellcheck disable"},
		{"test/a.bats", "  skip \"later\"", "bats skip"},
		{"Dockerfile", "# hadolint ignore=DL3008", "hadolint ignore"},
		{"main.tf", "#tfsec:ignore:aws-s3", "tfsec:ignore"},
		{"a.css", "/* stylelint-disable */", "stylelint-disable"},
		{"a.sql", "SELECT 1 -- noqa", "noqa"},
		{"a.java", "f(); // NOSONAR", "NOSONAR"},
		{"a.feature", "  @slow @skip", "@skip"},
	} {
		list, more := rule.AddedSuppressions(addsLine(c.file, c.line))
		if more != 0 || len(list) == 0 || list[0].Kind != c.kind || list[0].File != c.file || list[0].Line != 5 || list[0].Class == "" {
			t.Errorf("%s: %q is %+v, want %s", c.file, c.line, list, c.kind)
		}
	}
}

func TestWhatIsNoSuppressionIsNotTold(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{
		{"README.md", "write `# noqa` or it.skip('x')"},
		{"docs/a.rst", ".. # type: ignore"},
		{"data.json", `"rule": "eslint-disable"`},
		{"ci.yaml", "# noqa"},
		{"a.txt", "@Disabled"},
		{"a.py", "def skip(self): pass"},
		{"a.py", "kind = 'type: text'"},
		{"a.go", "	r.Skip(4)"},
		{"a.go", "	s.Skip(n)"},
		{"a.go", "// allow what is unused"},
		{"a.ts", "query({ skip: true })"},
		{"a.ts", "list.skip(3).only(4)"},
		{"a.ts", "const fit = (x) => x"},
		{"a.test.js", "it('skips what is only todo', () => {"},
		{"a.test.js", "  profit(4)"},
		{"src/a.rs", "#[derive(Debug)] // allow"},
		{"src/a.rs", "fn ignore() {}"},
		{"A.java", "boolean enabled = false;"},
		{"a.rb", "skip_before_action :login"},
		{"a.rb", "pending orders"},
		{"a.css", ".fit { color: red }"},
		{"a.sh", "skip=1"},
	} {
		if list, _ := rule.AddedSuppressions(addsLine(c[0], c[1])); len(list) != 0 {
			t.Errorf("%s: %q is %+v, want nothing", c[0], c[1], list)
		}
	}
}

func TestASuppressionThatWasMovedIsNotAdded(t *testing.T) {
	t.Parallel()
	file := func(name string, body ...string) string {
		old, now := 0, 0
		for _, l := range body {
			if l[0] != '+' {
				old++
			}
			if l[0] != '-' {
				now++
			}
		}
		return fmt.Sprintf("diff --git a/%[1]s b/%[1]s\nindex 1..2 100644\n--- a/%[1]s\n+++ b/%[1]s\n@@ -1,%d +1,%d @@ def f():\n%s\n", name, old, now, strings.Join(body, "\n"))
	}
	for name, c := range map[string]struct {
		diff string
		want []string
	}{
		"to another file":      {file("a.py", "-x = f()  # noqa") + file("b.py", "+    x = f()  # noqa"), nil},
		"within a file":        {file("a.py", "-x = f()  # noqa: E501", " y", "+x = f()  # noqa: E501"), nil},
		"the line was changed": {file("a.py", "-x = f()  # noqa: E501", "+x = g()  # noqa: E501"), nil},
		"it says more now":     {file("a.py", "-x = f()  # noqa: E501", "+x = f()  # noqa"), []string{"a.py:1 noqa"}},
		"one more of it":       {file("a.py", "-x = f()  # noqa", " y", "+x = f()  # noqa", "+x = f()  # noqa"), []string{"a.py:3 noqa"}},
		"removed alone":        {file("a.py", "-x = f()  # noqa"), nil},
		"other words elsewhere": {
			file("a.py", "-x = f()  # noqa") + file("b.py", "+y = g()  # noqa"), []string{"b.py:1 noqa"},
		},
		"a file renamed": {
			"diff --git a/old.go b/old.go\ndeleted file mode 100644\n--- a/old.go\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-package a\n-//nolint\n" +
				"diff --git a/new.go b/new.go\nnew file mode 100644\n--- /dev/null\n+++ b/new.go\n@@ -0,0 +1,3 @@\n+package a\n+//nolint\n+//nolint:all\n\\ No newline at end of file\n",
			[]string{"new.go:3 nolint"},
		},
		"two of one line": {file("a.py", "+x = f()  # type: ignore  # noqa"), []string{"a.py:1 noqa", "a.py:1 type: ignore"}},
		"lines that look like heads": {
			file("a.sql", "--- a/x.py", "+++ b/y.py", " -- noqa", "+select 1 -- noqa"), []string{"a.sql:3 noqa"},
		},
		"a quoted name": {
			"diff --git \"a/\\303\\244.py\" \"b/\\303\\244.py\"\n--- \"a/\\303\\244.py\"\n+++ \"b/\\303\\244.py\"\n@@ -0,0 +1 @@\n+x # noqa\n", []string{"ä.py:1 noqa"},
		},
	} {
		list, _ := rule.AddedSuppressions(c.diff)
		var got []string
		for _, s := range list {
			got = append(got, fmt.Sprintf("%s:%d %s", s.File, s.Line, s.Kind))
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestManySuppressionsAreCounted(t *testing.T) {
	t.Parallel()
	n := rule.MostSuppressions + 7
	diff := fmt.Sprintf("--- a/a.py\n+++ b/a.py\n@@ -0,0 +1,%d @@\n%s", n, strings.Repeat("+x # noqa\n", n))
	if list, more := rule.AddedSuppressions(diff); len(list) != rule.MostSuppressions || more != 7 {
		t.Errorf("listed %d and %d more", len(list), more)
	}
}

func FuzzAddedSuppressions(f *testing.F) {
	f.Add(addsLine("a.py", "x # noqa"))
	f.Add("@@ -1 +1 @@\n")
	f.Fuzz(func(t *testing.T, diff string) {
		list, more := rule.AddedSuppressions(diff)
		if len(list) > rule.MostSuppressions || more < 0 {
			t.Errorf("%d and %d more", len(list), more)
		}
	})
}

func TestFilesOfTestsAreKnownByName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"a_test.go": true, "tests/test_a.py": true, "conftest.py": true, "web/a.spec.ts": true, "src/test/java/A.java": true,
		"a.go": false, "src/main.rs": false, "README.md": false, ".autopilot/workflows/tests.py": false, "tests/__pycache__/a.pyc": false,
	} {
		if got := rule.TestLike(name); got != want {
			t.Errorf("TestLike(%q) = %v", name, got)
		}
	}
}
