package rule

// DefaultPins are the globs of what proves the work: tests, the configuration
// of test runners, and the data that tests compare with.
//
// Lists of dependencies (go.mod, go.sum, Cargo.toml, requirements.txt) are not
// among them: honest work adds dependencies, and a pin that every second run
// must lift protects nobody. The parts of such files that steer tests are
// pinned by DefaultManifests.
func DefaultPins() []string {
	return []string{
		// Go
		"*_test.go", "**/testdata/**", "*.golden",
		// Python
		"test_*.py", "*_test.py", "*_tests.py", "tests.py", "conftest.py", "pytest.ini", ".pytest.ini", "tox.ini", "noxfile.py", ".coveragerc", "doctest*.txt",
		// JavaScript, TypeScript
		"*.{test,spec,cy,e2e}.{js,jsx,ts,tsx,mjs,cjs,mts,cts,vue,svelte}", "*.test-d.ts", "**/__tests__/**", "**/__mocks__/**",
		"{jest,vitest,ava,karma,playwright,cypress,wdio,web-test-runner}.config.{js,ts,mjs,cjs,mts,cts,json}", "vitest.workspace.{js,ts,mjs,json}",
		"{jest,vitest,karma}.{setup,conf}.{js,ts,mjs,cjs}", ".mocharc*", ".nycrc*", ".c8rc*", ".taprc",
		// Rust: tests in the file of the code cannot be told from it
		"**/tests/**", "**/benches/**", ".config/nextest.toml",
		// Java, Kotlin, Scala
		"**/src/{test,it,integrationTest,androidTest,testFixtures,commonTest,jvmTest}/**", "*{Test,Tests,IT,Spec}.{java,kt,scala,groovy}", "junit-platform.properties", "testng.xml",
		// Ruby
		"*_spec.rb", "*_test.rb", "test_*.rb", ".rspec", "{spec,rails,test}_helper.rb", "**/spec/{support,factories}/**",
		// PHP
		"*Test.php", "*Cest.php", "phpunit.xml*", "phpunit.dist.xml", "codeception*.yml", "Pest.php", "*.phpt",
		// C#, F#
		"*{Test,Tests}.{cs,fs}", "**/*{.Tests,.Test,.UnitTests,.IntegrationTests}/**", "*.runsettings", "xunit.runner.json",
		// Swift
		"*{Tests,Test}.swift", "**/Tests/**", "*.xctestplan",
		// Elixir, Erlang
		"*_test.exs", "test_helper.exs", "*_SUITE.erl",
		// C, C++
		"*_{test,tests,unittest}.{c,cc,cpp,cxx}", "test_*.{c,cc,cpp,cxx}",
		// Shell
		"*.bats", "*_test.sh", "test_*.sh", "*.t",
		// Whatever the language
		"**/test/**", "**/e2e/**", "**/{fixtures,__fixtures__}/**", "**/{__snapshots__,snapshots,__image_snapshots__}/**", "*.snap", "*.ambr", "*.approved.*", "*.feature",
	}
}
