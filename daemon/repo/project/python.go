package project

import (
	"path"
	"slices"
	"strings"
)

func readPython(t tree) (part, bool) {
	p := part{kind: "python"}
	project, isProject := t.read("pyproject.toml")
	conf := sections(project)
	marker := t.first("pyproject.toml", "pytest.ini", "tox.ini", "setup.cfg", "setup.py", "requirements.txt", "Pipfile", "conftest.py")
	tests := pythonTests(t)
	if marker == "" && len(tests) == 0 {
		return p, false
	}
	if isProject {
		p.says("pyproject.toml", "Python project")
	}
	env := pythonEnv(t)
	if env.from != "" {
		p.says(env.from, env.says)
	}
	p.setup = env.setup
	p.pythonTest(t, conf, env, tests)
	if f := lintedBy(t, conf, "tool.ruff", "ruff.toml", ".ruff.toml"); f != "" {
		p.check("lint", env.run+"ruff check .", f)
	}
	if f := lintedBy(t, conf, "tool.mypy", "mypy.ini", ".mypy.ini"); f != "" {
		p.check("typecheck", env.run+"mypy .", f)
	}
	return p, true
}

// pythonTest finds what runs the tests: pytest if anything names it, unittest
// for plain test files, tox if it is all there is.
func (p *part) pythonTest(t tree, conf map[string][]string, env environment, tests []string) {
	if file := namesPytest(t, conf, tests); file != "" {
		p.says(file, "tests by pytest")
		p.test, p.from = env.pytest, file
		return
	}
	if len(tests) > 0 {
		p.from = tests[0]
		p.says(p.from, "tests by unittest")
		p.test = env.python + " -m unittest"
		if dir := path.Dir(p.from); dir != "." && !t.has(path.Join(dir, "__init__.py")) {
			p.test += " discover -s " + dir
		}
		return
	}
	if t.has("tox.ini") {
		p.from = "tox.ini"
		p.says(p.from, "tests by tox")
		p.test = "tox"
	}
}

func lintedBy(t tree, conf map[string][]string, section string, files ...string) string {
	for name := range conf {
		if name == section || strings.HasPrefix(name, section+".") {
			return "pyproject.toml"
		}
	}
	return t.first(files...)
}

// namesPytest is a file that says that tests are run by pytest, or empty.
func namesPytest(t tree, conf map[string][]string, tests []string) string {
	if f := t.first("pytest.ini", ".pytest.ini", "conftest.py", "tests/conftest.py"); f != "" {
		return f
	}
	for _, in := range []struct{ file, section string }{{"tox.ini", "pytest"}, {"setup.cfg", "tool:pytest"}} {
		b, _ := t.read(in.file)
		if _, ok := sections(b)[in.section]; ok {
			return in.file
		}
	}
	for name, lines := range conf {
		if strings.HasPrefix(name, "tool.pytest") || slices.ContainsFunc(lines, requiresPytest) {
			return "pyproject.toml"
		}
	}
	for _, file := range []string{"requirements.txt", "requirements-dev.txt", "dev-requirements.txt", "requirements-test.txt", "test-requirements.txt", "setup.cfg", "setup.py", "Pipfile", "tox.ini"} {
		b, _ := t.read(file)
		if slices.ContainsFunc(lines(b), requiresPytest) {
			return file
		}
	}
	for _, file := range tests {
		b, _ := t.read(file)
		if slices.ContainsFunc(lines(b), importsPytest) {
			return file
		}
	}
	return ""
}

// requiresPytest says of a line of a configuration whether the word stands in it.
func requiresPytest(line string) bool {
	line, _, _ = strings.Cut(line, "#")
	return slices.Contains(strings.FieldsFunc(line, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '-' && r != '_'
	}), "pytest")
}

func importsPytest(line string) bool {
	return line == "import pytest" || strings.HasPrefix(line, "import pytest ") || strings.HasPrefix(line, "from pytest ")
}

// pythonTests are files that look like tests, in the usual places.
func pythonTests(t tree) []string {
	var out []string
	for _, dir := range []string{".", "tests", "test"} {
		for _, name := range t.list(dir) {
			if strings.HasSuffix(name, ".py") && (strings.HasPrefix(name, "test_") || strings.HasSuffix(name, "_test.py") || name == "tests.py") {
				out = append(out, path.Join(dir, name))
			}
		}
	}
	return out[:min(len(out), 32)]
}

// environment is how the packages of a Python project are reached.
type environment struct {
	from, says          string
	run, pytest, python string // run is put before a program
	setup               string
}

func pythonEnv(t tree) environment {
	for _, c := range []struct{ lock, tool, run, setup string }{
		{"uv.lock", "uv", "uv run ", "uv sync --frozen"},
		{"poetry.lock", "poetry", "poetry run ", "poetry install --no-interaction"},
		{"pdm.lock", "pdm", "pdm run ", "pdm install --frozen-lockfile"},
		{"Pipfile.lock", "pipenv", "pipenv run ", "pipenv sync --dev"},
	} {
		if _, found, up := t.above(c.lock); found != "" {
			if up != "" {
				c.setup = "" // it is set up above
			}
			return environment{up + c.lock, c.tool + " installs the packages", c.run, c.run + "pytest", c.run + "python", c.setup}
		}
	}
	for _, dir := range []string{".venv", "venv"} {
		cfg := dir + "/pyvenv.cfg"
		if _, found, up := t.above(cfg); found != "" {
			bin, setup := up+dir+"/bin/", ""
			if up == "" {
				setup = venvSetup(t, dir)
			}
			return environment{up + cfg, "virtual environment", bin, bin + "python -m pytest", bin + "python", setup}
		}
	}
	return environment{run: "", pytest: "pytest", python: "python3"}
}

// venvSetup makes an environment like the one that is there, which a clean
// checkout lacks.
func venvSetup(t tree, dir string) string {
	what := ""
	for _, f := range []string{"requirements.txt", "requirements-dev.txt", "requirements-test.txt"} {
		if t.has(f) {
			what += " -r " + f
		}
	}
	if what == "" && t.first("pyproject.toml", "setup.py") != "" {
		what = " -e ."
	}
	if what == "" {
		return "python3 -m venv " + dir
	}
	return "python3 -m venv " + dir + " && " + dir + "/bin/pip install -q" + what
}
