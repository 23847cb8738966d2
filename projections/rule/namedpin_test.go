package rule

import "testing"

func TestATaskThatNamesPinnedFilesIsSeen(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"app/fixtures/countries.json": "", "app/fixtures/cities.json": "", "tests/test_calc.py": "", "tests/data.json": "", "check.sh": ". scripts/lib.sh", "scripts/lib.sh": "", "testdata/in.txt": "", "calc.py": "",
	}
	pins := defaults().With(gatePins([]Command{{Text: "./check.sh"}}, files))
	pinned := source(files).Files
	for task, want := range map[string][]string{
		"Add Kosovo to app/fixtures/countries.json":                {"app/fixtures/countries.json"},
		"Add the missing countries to the data in app/fixtures/.":  {"app/fixtures/**"},
		"app/fixtures lacks Kosovo":                                {"app/fixtures/**"},
		"countries.json lacks Kosovo":                              {"app/fixtures/countries.json"},
		"Make tests/test_calc.py pass":                             nil,
		"tests/test_calc.py fails. Fix calc.py":                    nil,
		"Update tests/test_calc.py to the new interface":           {"tests/test_calc.py"},
		"Fix calc.py. Do not change tests/test_calc.py":            nil,
		"Fix calc.py, without editing app/fixtures/countries.json": nil,
		"Rename the functions in scripts/lib.sh":                   {"scripts/lib.sh"},
		"Make check.sh pass":                                       nil,
		"Write a parser for data.json":                             {"tests/data.json"},
		"Fix the parser":                                           nil,
		"app/fixtures/countries.json に Kosovo を追加する":               {"app/fixtures/countries.json"},
		"Make the tests in tests/ green":                           nil,
	} {
		got := pins.TaskNames(task, pinned)
		equal(t, task, got, want)
	}
	left := pins.Without([]string{"scripts/lib.sh", "check.sh", "tests/**"})
	equal(t, "reached", left.Pinned("scripts/lib.sh"), false)
	equal(t, "named by a gate", left.Pinned("check.sh"), true)
	equal(t, "a test", left.Pinned("tests/test_calc.py"), true)
}
