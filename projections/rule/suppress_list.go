package rule

import (
	"strings"

	"autopilot/projections/regex"
)

// The classes say what a suppression keeps from being seen.
const (
	SuppressesLint     = "lint"     // findings of linters and of compilers
	SuppressesTypes    = "types"    // errors of type checkers
	SuppressesCoverage = "coverage" // lines that no test runs
	SuppressesTests    = "tests"    // tests: skipped, expected to fail, or alone
	SuppressesSecurity = "security" // findings of security scanners
)

// lang is a family of languages whose files hold the same suppressions.
type lang uint32

const (
	langPython lang = 1 << iota
	langJS
	langGo
	langRust
	langJVM
	langDotNet
	langC
	langRuby
	langPHP
	langSwift
	langDart
	langElixir
	langShell
	langDocker
	langInfra
	langStyle
	langSQL
	langSolidity
	langHaskell
	langLua
	langR
	langJulia
	langPerl
	langProto
	langClojure
	langZig
	langPower
	langErlang
	langRobot
	langFeature
	langBats
	langOther // code of which only general suppressions are known

	anyCode = ^lang(0)
)

// langOf are the endings of files of code. What is not here, as documents and data, has
// no suppression that counts.
var langOf = map[string]lang{
	".py": langPython, ".pyi": langPython, ".pyx": langPython, ".pyw": langPython,
	".js": langJS, ".jsx": langJS, ".ts": langJS, ".tsx": langJS, ".mjs": langJS, ".cjs": langJS, ".mts": langJS, ".cts": langJS,
	".vue": langJS | langStyle, ".svelte": langJS | langStyle, ".astro": langJS | langStyle, ".gjs": langJS, ".gts": langJS, ".coffee": langJS,
	".go": langGo, ".rs": langRust,
	".java": langJVM, ".kt": langJVM, ".kts": langJVM, ".scala": langJVM, ".sc": langJVM, ".groovy": langJVM, ".gradle": langJVM,
	".cs": langDotNet, ".fs": langDotNet, ".fsx": langDotNet, ".vb": langDotNet, ".cshtml": langDotNet, ".razor": langDotNet,
	".c": langC, ".h": langC, ".cc": langC, ".cpp": langC, ".cxx": langC, ".hh": langC, ".hpp": langC, ".hxx": langC, ".inl": langC, ".ipp": langC,
	".cu": langC, ".m": langC | langSwift, ".mm": langC | langSwift, ".ino": langC,
	".rb": langRuby, ".rake": langRuby, ".gemspec": langRuby, ".ru": langRuby,
	".php": langPHP, ".phtml": langPHP, ".swift": langSwift, ".dart": langDart,
	".ex": langElixir, ".exs": langElixir, ".erl": langErlang, ".hrl": langErlang,
	".sh": langShell, ".bash": langShell, ".zsh": langShell, ".ksh": langShell, ".bats": langShell | langBats,
	".dockerfile": langDocker, ".tf": langInfra, ".hcl": langInfra, ".bicep": langInfra,
	".css": langStyle, ".scss": langStyle, ".sass": langStyle, ".less": langStyle,
	".sql": langSQL, ".sol": langSolidity, ".hs": langHaskell, ".lhs": langHaskell, ".lua": langLua, ".r": langR, ".jl": langJulia,
	".pl": langPerl, ".pm": langPerl, ".t": langPerl, ".proto": langProto,
	".clj": langClojure, ".cljs": langClojure, ".cljc": langClojure, ".zig": langZig, ".ps1": langPower, ".psm1": langPower,
	".robot": langRobot, ".feature": langFeature,
	".ml": langOther, ".mli": langOther, ".nim": langOther, ".d": langOther, ".pas": langOther, ".f90": langOther, ".adb": langOther, ".ads": langOther,
	".cob": langOther, ".abap": langOther, ".cls": langOther, ".apex": langOther, ".v": langOther, ".sv": langOther, ".vhd": langOther, ".gd": langOther,
}

// langNamed are files of code that are known by their names.
var langNamed = map[string]lang{
	"dockerfile": langDocker, "containerfile": langDocker, "rakefile": langRuby, "gemfile": langRuby, "makefile": langShell, "justfile": langShell,
	"jenkinsfile": langJVM,
}

// suppressor is one way to keep a tool from telling.
type suppressor struct {
	kind    string
	class   string
	langs   lang
	needles []string // one of them is in each line that matches, in lower case
	pattern *regex.Lazy
	inTests bool // words that mean something else elsewhere: it counts in files of tests alone
}

func suppressors() []suppressor {
	var out []suppressor
	add := func(class string, langs lang, kind, pattern string, needles ...string) {
		if len(needles) == 0 {
			needles = []string{kind}
		}
		pattern, inTests := strings.CutPrefix(pattern, inTestsOnly)
		for i := range needles {
			needles[i] = strings.ToLower(needles[i])
		}
		out = append(out, suppressor{kind, class, langs, needles, regex.New(pattern), inTests})
	}
	lintSuppressors(add)
	typeSuppressors(add)
	coverageSuppressors(add)
	testSuppressors(add)
	securitySuppressors(add)
	return out
}

// inTestsOnly begins a pattern that counts in files of tests alone.
const inTestsOnly = "tests:"

type addSuppressor func(class string, langs lang, kind, pattern string, needles ...string)

func lintSuppressors(add addSuppressor) {
	lint := func(langs lang, kind, pattern string, needles ...string) {
		add(SuppressesLint, langs, kind, pattern, needles...)
	}
	lint(langPython, "noqa", `(?i)#\s*(?:(?:flake8|ruff)[:=]\s*)?noqa\b`)
	lint(langPython, "pylint: disable", `#\s*pylint:\s*(?:disable|skip-file)`, "pylint:")
	lint(langPython, "ruff: ignore", `#\s*ruff:\s*(?:ignore|disable|file-ignore)`, "ruff:")
	lint(langPython|langJVM|langPHP|langJS, "noinspection", `(?:#|//|/\*)\s*noinspection\b`)
	lint(langSQL, "noqa", `(?i)--\s*noqa\b`)
	lint(langSQL, "sqlfluff: disable", `--\s*sqlfluff:.*(?:exclude_rules|ignore)`, "sqlfluff")

	lint(langGo, "nolint", `//\s*nolint\b`)
	lint(langGo, "lint:ignore", `//\s*lint:(?:file-)?ignore\b`, "lint:")
	lint(langGo, "revive:disable", `//\s*revive:disable`)
	lint(langGo, "exhaustive:ignore", `//\s*(?:exhaustive|gocyclo|gocognit|exhaustruct|maligned):\s*ignore`, "ignore")

	lint(langJS, "eslint-disable", `\beslint-disable(?:-next-line|-line)?\b`)
	lint(langJS|langStyle, "biome-ignore", `\bbiome-ignore(?:-all|-start)?\b`)
	lint(langJS, "oxlint-disable", `\boxlint-disable(?:-next-line|-line)?\b`)
	lint(langJS, "tslint:disable", `\btslint:disable`)
	lint(langJS, "deno-lint-ignore", `\bdeno-lint-ignore(?:-file)?\b`)
	lint(langJS, "jshint ignore", `\bjshint\s+(?:ignore|-W\d+)`, "jshint")
	lint(langJS, "svelte-ignore", `\bsvelte-ignore\b`)
	lint(langStyle|langJS, "stylelint-disable", `\bstylelint-disable(?:-next-line|-line)?\b`)

	lint(langRust, "#[allow]", `#!?\[\s*(?:cfg_attr\s*\(.*[,(]\s*)?allow\s*\(`, "allow")
	lint(langRust, "#[expect]", `#!?\[\s*(?:cfg_attr\s*\(.*[,(]\s*)?expect\s*\(`, "expect")

	lint(langJVM, "@SuppressWarnings", `@(?:file:)?Suppress(?:Warnings|Lint)?\b`, "@suppress", "@file:suppress")
	lint(langJVM, "CHECKSTYLE:OFF", `CHECKSTYLE[:.](?:OFF|SUPPRESS)`, "checkstyle")
	lint(langJVM, "NOPMD", `\bNOPMD\b`, "nopmd")
	lint(langJVM, "ktlint-disable", `\bktlint-disable\b`)
	lint(langJVM, "@nowarn", `@nowarn\b`)
	lint(langJVM, "scalastyle:off", `\bscala(?:style|fix):off\b`, "scalastyle:off", "scalafix:off")

	lint(langDotNet, "#pragma warning disable", `#\s*pragma\s+warning\s+disable\b`, "warning")
	lint(langDotNet|langPower, "SuppressMessage", `\bSuppressMessage(?:Attribute)?\b`, "suppressmessage")
	lint(langDotNet, "#nowarn", `^\s*#nowarn\b`)
	lint(langDotNet, "ReSharper disable", `\bReSharper disable\b`, "resharper")

	lint(langC|langDotNet, "NOLINT", `\bNOLINT(?:NEXTLINE|BEGIN)?\b`, "nolint")
	lint(langC, "cppcheck-suppress", `\bcppcheck-suppress`)
	lint(langC, "#pragma diagnostic ignored", `(?:#\s*pragma|_Pragma\s*\(\s*")\s*(?:GCC|clang)\s+diagnostic\s+ignored`, "diagnostic")
	lint(langC, "#pragma warning disable", `#\s*pragma\s+warning\s*\(\s*(?:disable|suppress)`, "warning")
	lint(langC, "coverity", `\bcoverity\[`, "coverity[")

	lint(langRuby, "rubocop:disable", `#\s*rubocop:(?:disable|todo)\b`, "rubocop:")
	lint(langRuby, "standard:disable", `#\s*standard:disable\b`)
	lint(langRuby, ":reek:", `:reek:\w+`)

	lint(langPHP, "phpcs:ignore", `\bphpcs:(?:ignore|disable)`, "phpcs:")
	lint(langPHP, "@codingStandardsIgnore", `@codingStandardsIgnore`, "@codingstandardsignore")
	lint(langPHP, "@SuppressWarnings", `@SuppressWarnings\b`, "@suppresswarnings")
	lint(langSwift, "swiftlint:disable", `\bswiftlint:disable`)
	lint(langSwift, "periphery:ignore", `\bperiphery:ignore\b`)
	lint(langDart, "ignore:", `//\s*ignore(?:_for_file)?:`, "ignore")
	lint(langElixir, "credo:disable", `#\s*credo:disable`)
	lint(langErlang, "elvis disable", `%\s*elvis\b.*\bdisable`, "elvis")
	lint(langErlang, "nowarn", `-compile\(.*\bnowarn`)
	lint(langHaskell, "HLint ignore", `(?i)\bhlint:?\s+ignore\b|\{-#\s*HLINT\s+ignore`, "hlint")
	lint(langHaskell, "-Wno", `\{-#\s*OPTIONS_GHC\b.*-(?:Wno-|w\b|fno-warn)`, "options_ghc")
	lint(langLua, "luacheck: ignore", `--\s*luacheck:`, "luacheck:")
	lint(langLua, "selene: allow", `--\s*selene:\s*(?:allow|deny)`, "selene:")
	lint(langShell|langDocker, "shellcheck disable", `#\s*shellcheck\s+disable=`, "shellcheck")
	lint(langDocker, "hadolint ignore", `#\s*hadolint\s+(?:global\s+)?ignore=`, "hadolint")
	lint(langInfra, "tflint-ignore", `\btflint-ignore\b`)
	lint(langSolidity, "solhint-disable", `\bsolhint-disable`)
	lint(langR, "nolint", `#\s*nolint\b`)
	lint(langPerl, "no critic", `##\s*no critic\b`)
	lint(langProto, "buf:lint:ignore", `\bbuf:lint:ignore\b`)
	lint(langProto, "protolint:disable", `\bprotolint:disable`)
	lint(langClojure, "clj-kondo/ignore", `clj-kondo/ignore`)
	lint(langRobot, "robocop: off", `#\s*robocop:\s*(?:off|disable)`, "robocop:")
	lint(langOther, "@warning_ignore", `@warning_ignore\b`)
	lint(langOther, "[@warning]", `\[@{1,3}warning\s+"-`, "warning")
	lint(anyCode, "NOSONAR", `\bNOSONAR\b`, "nosonar")
}

func typeSuppressors(add addSuppressor) {
	types := func(langs lang, kind, pattern string, needles ...string) {
		add(SuppressesTypes, langs, kind, pattern, needles...)
	}
	types(langPython, "type: ignore", `#\s*type:\s*ignore\b`, "type:")
	types(langPython, "mypy: ignore-errors", `#\s*mypy:\s*(?:ignore|disable)`, "mypy:")
	types(langPython, "pyright: ignore", `#\s*(?:based)?pyright:\s*(?:ignore\b|basic\b|off\b|report\w+\s*=\s*(?:false|none))`, "pyright:")
	types(langPython, "pyre-ignore", `#\s*pyre-(?:ignore|fixme)\b`, "pyre-")
	types(langPython, "pytype: disable", `#\s*pytype:\s*(?:disable|skip-file)`, "pytype:")
	types(langPython, "ty: ignore", `#\s*ty:\s*ignore\b`, "ty:")
	types(langPython, "@no_type_check", `@(?:typing\.|t\.)?no_type_check\b`, "no_type_check")
	types(langJS, "@ts-ignore", `@ts-ignore\b`)
	types(langJS, "@ts-expect-error", `@ts-expect-error\b`)
	types(langJS, "@ts-nocheck", `@ts-nocheck\b`)
	types(langJS, "$FlowFixMe", `\$Flow(?:FixMe|Ignore|ExpectedError|Issue)\b|@noflow\b`, "$flow", "@noflow")
	types(langPHP, "@phpstan-ignore", `@phpstan-ignore`)
	types(langPHP, "@psalm-suppress", `@psalm-suppress\b`)
	types(langPHP, "@phan-suppress", `@phan-(?:file-)?suppress`, "@phan-")
	types(langRuby, "typed: false", `^\s*#\s*typed:\s*(?:false|ignore)\b`, "typed:")
	types(langRuby, "steep:ignore", `#\s*steep:ignore\b`)
	types(langElixir|langErlang, "dialyzer", `^\s*(?:@|-)dialyzer\b`)
	types(langLua, "@diagnostic disable", `---@diagnostic\s+disable`, "@diagnostic")
	types(langDotNet, "#nullable disable", `#\s*nullable\s+disable\b`, "nullable")
}

func coverageSuppressors(add addSuppressor) {
	cover := func(langs lang, kind, pattern string, needles ...string) {
		add(SuppressesCoverage, langs, kind, pattern, needles...)
	}
	cover(langPython, "pragma: no cover", `(?i)#\s*pragma:\s*no\s*(?:cover|branch)\b`, "pragma:")
	cover(langJS, "istanbul ignore", `\bistanbul\s+ignore\b`, "istanbul")
	cover(langJS, "c8 ignore", `\bc8\s+ignore\b`, "c8")
	cover(langJS, "v8 ignore", `\bv8\s+ignore\b`, "v8")
	cover(langJS, "node:coverage ignore", `\bnode:coverage\s+(?:ignore|disable)\b`, "node:coverage")
	cover(langJS, "deno-coverage-ignore", `\bdeno-coverage-ignore`)
	cover(langGo, "coverage-ignore", `//\s*coverage[:-]ignore\b`, "coverage")
	cover(langRust, "#[coverage(off)]", `#!?\[.*\bcoverage\s*\(\s*off\s*\)`, "coverage")
	cover(langRust, "tarpaulin", `tarpaulin(?:_include|::skip)\b`)
	cover(langC|langRust|langGo|langSwift|langJulia, "EXCL", `\b(?:LCOV|GCOV|GCOVR|GRCOV|COV)_EXCL_(?:LINE|START|BR_LINE|BR_START)\b`, "_excl_")
	cover(langJVM, "ExcludeFromJacoco", `@\w*ExcludeFrom\w*(?:Jacoco|Coverage)\w*`, "excludefrom")
	cover(langJVM, "$COVERAGE-OFF$", `\$COVERAGE-OFF\$`, "$coverage-off$")
	cover(langDotNet, "ExcludeFromCodeCoverage", `\bExcludeFromCodeCoverage\b`, "excludefromcodecoverage")
	cover(langRuby, ":nocov:", `#\s*:nocov:`)
	cover(langRuby, "simplecov:disable", `#\s*simplecov:disable\b`)
	cover(langPHP, "@codeCoverageIgnore", `@codeCoverageIgnore`, "@codecoverageignore")
	cover(langDart, "coverage:ignore", `\bcoverage:ignore-`)
	cover(langElixir, "coveralls-ignore", `\bcoveralls-ignore-(?:start|next-line)\b`, "coveralls-ignore")
	cover(langR, "nocov", `#\s*nocov\b`)
	cover(langPerl, "uncoverable", `#\s*uncoverable\b`)
}

func testSuppressors(add addSuppressor) {
	tests := func(langs lang, kind, pattern string, needles ...string) {
		add(SuppressesTests, langs, kind, pattern, needles...)
	}
	tests(langPython, "pytest.mark.skip", `\bmark\.(?:skip|skipif|xfail)\b`, "mark.")
	tests(langPython, "pytest.skip", `\bpytest\.(?:skip|xfail|importorskip)\s*\(`, "pytest.")
	tests(langPython, "unittest.skip", `@(?:unittest\.|case\.)?(?:skip|skipIf|skipUnless|expectedFailure)\b`, "@")
	tests(langPython, "skipTest", `\.skipTest\s*\(|\bSkipTest\b`, "skiptest")
	tests(langPython, "__test__ = False", `\b__test__\s*=\s*False\b`, "__test__")
	tests(langPython, "collect_ignore", `^\s*collect_ignore(?:_glob)?\s*(?:\+?=|\.)`)

	tests(langGo, "t.Skip", `\b(?:t|tb|T\(\))\.Skip(?:f|Now)?\(|\b(?:b|f|s|tt|suite)\.(?:Skipf\(|SkipNow\(|Skip\(["`+"`"+`])`, ".skip")
	tests(langGo, "ginkgo skip or focus", inTestsOnly+`^\s*(?:[PXF](?:It|Describe|Context|When|Specify|DescribeTable|Entry)\(|Skip\(")`, "(")
	tests(langGo, "go:build ignore", `^//\s*(?:go:build|\+build)\s+ignore\b`, "build")

	tests(langJS, "test.skip", `\b(?:it|test|describe|context|suite|specify|bench|fixture|scenario|step|Deno\.test)(?:\.\w+)*\.(?:skip|todo|only|fails|failing|fixme|skipIf|ignore)\b`,
		".skip", ".todo", ".only", ".fails", ".failing", ".fixme", ".ignore")
	tests(langJS, "xit", `(?:^|[^\w.$])(?:xit|xtest|xdescribe|xcontext|xspecify|fit|fdescribe|fcontext)\s*(?:\.\w+\s*)*[(`+"`"+`]`, "xit", "xtest", "xdescribe", "xcontext", "xspecify", "fit", "fdescribe", "fcontext")
	tests(langJS, "this.skip", inTestsOnly+`\b(?:this|t|ctx|context)\.(?:skip|todo)\s*\(`, ".skip", ".todo")
	tests(langJS, "skip: true", inTestsOnly+`\b(?:skip|todo|only|ignore)\s*:\s*true\b`, "skip", "todo", "only", "ignore")

	tests(langRust, "#[ignore]", `#\[\s*(?:cfg_attr\s*\(.*[,(]\s*)?ignore\b`, "ignore")

	tests(langJVM, "@Disabled", `@(?:Disabled|DisabledIf|DisabledOn\w+|EnabledIf|EnabledOn\w+|DisabledFor\w+|DisabledUntil)\b`, "@disabled", "@enabled")
	tests(langJVM, "@Ignore", `@(?:Ignore|IgnoreIf|IgnoreRest|PendingFeature|PendingFeatureIf)\b`, "@ignore", "@pending")
	tests(langJVM, "enabled = false", inTestsOnly+`\benabled\s*=\s*false\b`, "enabled")
	tests(langJVM, "assumption", `\b(?:assumeTrue\s*\(\s*false|assumeFalse\s*\(\s*true|abort\s*\(\s*\))`, "assume", "abort")
	tests(langJVM, "ignore(", inTestsOnly+`^\s*(?:ignore|xtest|xshould|xdescribe|xit|xcontext|xfeature|xscenario)\s*\(\s*"`, "ignore", "xtest", "xshould", "xdescribe", "xit", "xcontext", "xfeature", "xscenario")

	tests(langDotNet, "Skip =", `\bSkip\s*=\s*"|\bSkip\.If`, "skip")
	tests(langDotNet, "[Ignore]", `\[\s*(?:\w+\s*,\s*)*(?:Ignore|Explicit)\b`, "ignore", "explicit")
	tests(langDotNet, "Assert.Ignore", `\bAssert\.(?:Ignore|Inconclusive|Pass|Skip)\s*\(`, "assert.")

	tests(langC, "GTEST_SKIP", `\bGTEST_SKIP\b`, "gtest_skip")
	tests(langC, "DISABLED_", `\bTEST(?:_F|_P)?\s*\([^)]*\bDISABLED_`, "disabled_")
	tests(langC, "Catch2 tag", `TEST_CASE(?:_METHOD)?\s*\(.*\[(?:!mayfail|!shouldfail|\.)`, "test_case")
	tests(langC|langSwift, "XCTSkip", `\bXCT(?:Skip\w*|ExpectFailure)\b`, "xctskip", "xctexpectfailure")

	tests(langRuby, "skip", inTestsOnly+`^\s*(?:skip|pending|xit|xdescribe|xcontext|xspecify|xexample|xscenario|xfeature|fit|fdescribe|fcontext)(?:\s|\(|$)`,
		"skip", "pending", "xit", "xdescribe", "xcontext", "xspecify", "xexample", "xscenario", "xfeature", "fit", "fdescribe", "fcontext")
	tests(langRuby, "skip: true", inTestsOnly+`(?:\b(?:skip|pending):\s*(?:true|["'])|:(?:skip|pending|focus)\b\s*(?:do|,|=>))`, "skip", "pending", "focus")

	tests(langPHP, "markTestSkipped", `\bmarkTest(?:Skipped|Incomplete)\s*\(`, "marktest")
	tests(langPHP, "->skip(", `->(?:skip\w*|todo|only)\s*\(`, "->skip", "->todo", "->only")
	tests(langSwift, ".disabled", `@(?:Test|Suite)\s*\(.*\.disabled\b`, ".disabled")
	tests(langDart, "skip:", inTestsOnly+`\bskip:\s*(?:true|['"])|@Skip\b`, "skip")
	tests(langElixir, "@tag :skip", `@(?:module|describe)?tag\s+(?::skip\b|skip:)`, "skip")
	tests(langBats, "bats skip", `^\s*skip(?:\s+["'\w].*)?$|#\s*bats\s+test_tags=.*\bskip`, "skip")
	tests(langHaskell, "pending", inTestsOnly+`\b(?:xit|xdescribe|xcontext|pendingWith|fit|fdescribe)\s`, "xit", "xdescribe", "xcontext", "pendingwith", "fit", "fdescribe")
	tests(langLua, "pending(", `^\s*pending\s*\(`)
	tests(langR, "skip(", inTestsOnly+`\b(?:testthat::)?skip(?:_if\w*|_on_\w+|_unless\w*)?\s*\(`, "skip")
	tests(langJulia, "@test_skip", `@test_(?:skip|broken)\b`, "@test_")
	tests(langPerl, "skip_all", `\bskip_all\b|\btodo_skip\b|^\s*(?:SKIP|TODO):\s*\{`, "skip", "todo")
	tests(langZig, "SkipZigTest", `\berror\.SkipZigTest\b`, "skipzigtest")
	tests(langPower, "-Skip", `^\s*(?:It|Describe|Context)\b.*\s-(?:Skip|Pending)\b|\bSet-ItResult\b`, "-skip", "-pending", "set-itresult")
	tests(langClojure, "^:skip", `\^:(?:kaocha/)?(?:skip|pending)\b`, "skip", "pending")
	tests(langRobot, "Skip", `(?i)^\s+skip(?:\s+if|\s+unless)?(?:\s{2,}|$)|\brobot:(?:skip|exclude)\b`, "skip", "robot:exclude")
	tests(langFeature, "@skip", `(?i)^\s*(?:@\S+\s+)*@(?:skip|ignore|wip|pending|disabled)\b`, "@")
}

func securitySuppressors(add addSuppressor) {
	safe := func(langs lang, kind, pattern string, needles ...string) {
		add(SuppressesSecurity, langs, kind, pattern, needles...)
	}
	safe(langPython, "nosec", `#\s*nosec\b`)
	safe(langGo, "#nosec", `(?://|/\*)\s*#nosec\b`)
	safe(langInfra, "tfsec:ignore", `\btfsec:ignore:`)
	safe(langInfra|langDocker, "checkov:skip", `\bcheckov:skip=`)
	safe(langInfra|langDocker, "trivy:ignore", `\btrivy:ignore:`)
	safe(langSolidity, "slither-disable", `\bslither-disable`)
	safe(langElixir, "sobelow_skip", `#\s*sobelow_skip\b`)
	safe(langJVM, "@SuppressFBWarnings", `@SuppressFBWarnings\b`, "@suppressfbwarnings")
	safe(anyCode, "nosemgrep", `\bnosem(?:grep)?\b`, "nosem")
	safe(anyCode, "gitleaks:allow", `\bgitleaks:allow\b|\bpragma:\s*allowlist\s+secret\b|\btrufflehog:ignore\b`, "gitleaks", "allowlist", "trufflehog")
	safe(anyCode, "codeql", `\b(?:lgtm|codeql)\s*\[`, "lgtm", "codeql")
}
