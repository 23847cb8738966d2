package rule

import "testing"

func TestAFailureBeforeAnyTestIsNoRedTest(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		exit   int
		output string
		want   Unready
	}{
		"npm without node_modules":      {127, "> a@1.0.0 test\n> jest\n\nsh: 1: jest: not found\n", Unready{NoProgram, "jest"}},
		"bash":                          {127, "bash: line 1: vitest: command not found\n", Unready{NoProgram, "vitest"}},
		"a script that is not there":    {127, "/bin/sh: 1: ./check.sh: not found\n", Unready{NoProgram, "./check.sh"}},
		"make, without a target":        {2, "make: *** No rule to make target 'test'.  Stop.\n", Unready{NoTarget, "test"}},
		"make, without a makefile":      {2, "make: *** No targets specified and no makefile found.  Stop.\n", Unready{NoMakefile, ""}},
		"make, whose program is gone":   {2, "pytest -q\n/bin/sh: 1: pytest: not found\nmake: *** [Makefile:2: test] Error 127\n", Unready{NoProgram, "pytest"}},
		"make, that starts it itself":   {2, "pytest\nmake: pytest: No such file or directory\nmake: *** [Makefile:2: test] Error 127\n", Unready{NoProgram, "pytest"}},
		"npm, at the root":              {254, "npm error code ENOENT\nnpm error enoent Could not read package.json: Error: ENOENT: no such file or directory, open '/w/package.json'\n", Unready{NoManifest, "package.json"}},
		"go, at the root":               {1, "pattern ./...: directory prefix . does not contain main module or its selected dependencies\nFAIL\n", Unready{NoManifest, "go.mod"}},
		"go, without a module":          {1, "go: go.mod file not found in current directory or any parent directory; see 'go help modules'\n", Unready{NoManifest, "go.mod"}},
		"cargo, at the root":            {101, "error: could not find `Cargo.toml` in `/w` or any parent directory\n", Unready{NoManifest, "Cargo.toml"}},
		"python, without a script":      {2, "python3: can't open file '/w/check.py': [Errno 2] No such file or directory\n", Unready{NoScript, "/w/check.py"}},
		"sh, without a script":          {2, "sh: 0: cannot open check.sh: No such file\n", Unready{NoScript, "check.sh"}},
		"python, without its runner":    {1, "/usr/bin/python3: No module named pytest\n", Unready{NoModule, "pytest"}},
		"node, without a package":       {1, "Error: Cannot find module 'express'\nRequire stack:\n- /w/app.js\n", Unready{NoModule, "express"}},
		"a scoped package":              {1, "Error [ERR_MODULE_NOT_FOUND]: Cannot find package '@a/b' imported from /w/x.mjs\n", Unready{NoModule, "@a/b"}},
		"a program that a script calls": {127, "./check.sh: line 3: greet: command not found\n", Unready{NoProgram, ""}},
		"no permission":                 {126, "/bin/sh: 1: ./check.sh: Permission denied\n", Unready{NotExecutable, "./check.sh"}},
		"126 alone":                     {126, "", Unready{NotExecutable, ""}},
		"127 alone":                     {127, "", Unready{NoProgram, ""}},
		"a module that is to be made":   {1, "Error: Cannot find module './cart'\nRequire stack:\n- /w/cart.test.js\n", Unready{}},
		"one at its place":              {1, "Error: Cannot find module '/w/src/cart.js'\n", Unready{}},
		"a Python module of the task":   {1, "ModuleNotFoundError: No module named 'shop'\n", Unready{}},
		"a test that prints not found":  {1, "GET /x: not found\n", Unready{}},
		"an assertion":                  {1, "AssertionError: 1 != 2\n", Unready{}},
		"a red target":                  {2, "make: *** [Makefile:2: test] Error 1\n", Unready{}},
		"a file of a test":              {1, "open data.txt: no such file or directory\n", Unready{}},
	} {
		if got, is := NotRed(tt.exit, tt.output); got != tt.want || is != (tt.want != Unready{}) {
			t.Errorf("%s: %+v %v", name, got, is)
		}
	}
}

func TestACommandIsMovedIntoADirectory(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"make test": "make -C web test", "make": "make -C web", "npm test": "cd web && npm test", "make a && make b": "cd web && make a && make b", "makepkg": "cd web && makepkg",
	} {
		if got := InDirectory("web", command); got != want {
			t.Errorf("%q: %q", command, got)
		}
	}
}
