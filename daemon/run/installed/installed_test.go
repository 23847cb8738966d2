package installed

import (
	"os"
	"path/filepath"
	"testing"
)

func put(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		_ = os.Remove(path) // as a package manager does: another inode
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func never(string) bool { return false }

const (
	nm = "node_modules/"
	sp = "venv/lib/python3.12/site-packages/"
)

func TestWhatIsAChange(t *testing.T) {
	t.Parallel()
	start := map[string]string{
		nm + "tape/index.js": "tape", nm + "tape/package.json": `{"version":"1.0.0"}`, nm + "tape/bin/tape": "bin",
		nm + "@a/b/x.js": "x", nm + "tape/node_modules/deep/d.js": "d", nm + ".bin/tape": "link", nm + ".package-lock.json": "1",
		sp + "pytest/a.py": "a", sp + "pytest/b.py": "b", sp + "six.py": "six", sp + "pytest-8.0.dist-info/METADATA": "m",
		sp + "pytest-8.0.dist-info/RECORD": "pytest/a.py,,\n", sp + "mine/m.py": "m",
		sp + "mine-1.dist-info/METADATA": "m", sp + "mine-1.dist-info/RECORD": "mine/m.py,,\n",
		sp + "mine-1.dist-info/direct_url.json": `{"url": "file:///w"}`, "venv/bin/pytest": "p",
		"mod/x@v1/x.go": "x", "vendor/a/b/v.php": "v",
	}
	for name, c := range map[string]struct {
		do   func(t *testing.T, dir string)
		want string
	}{
		"nothing":                    {func(*testing.T, string) {}, ""},
		"installed again":            {func(t *testing.T, dir string) { t.Helper(); put(t, dir, start) }, ""},
		"a program is overwritten":   {with(nm+"tape/bin/tape", "true"), "changed " + nm + "tape/bin/tape"},
		"of a scope":                 {with(nm+"@a/b/x.js", "y"), "changed " + nm + "@a/b/x.js"},
		"one package below another":  {with(nm+"tape/node_modules/new/n.js", "n"), ""},
		"added to a package":         {with(nm+"tape/more.js", "m"), "added " + nm + "tape/more.js"},
		"a new package":              {with(nm+"left-pad/index.js", "l", nm+".bin/left-pad", "l", nm+".package-lock.json", "2"), ""},
		"a new one of a known scope": {with(nm+"@a/c/x.js", "l"), ""},
		"caches":                     {with(nm+".cache/x", "1", sp+"pytest/__pycache__/a.pyc", "1"), ""},
		"pytest is edited":           {with(sp+"pytest/a.py", "exit(0)"), "changed " + sp + "pytest/a.py"},
		"a module of one file":       {with(sp+"six.py", "7"), "changed " + sp + "six.py"},
		"what every Python starts":   {with(sp+"sitecustomize.py", "exit(0)"), "added " + sp + "sitecustomize.py"},
		"a path file":                {with(sp+"x.pth", "import os"), "added " + sp + "x.pth"},
		"one of a new distribution":  {with(sp+"x.pth", "import os", sp+"x-1.dist-info/RECORD", "x.pth,,\n"), ""},
		"the project is reinstalled": {with(sp+"mine/m.py", "new", sp+"mine/n.py", "new"), ""},
		"a Go module":                {with("mod/x@v1/x.go", "y"), "changed mod/x@v1/x.go"},
		"a file in a Go module":      {with("mod/x@v1/y.go", "y"), "added mod/x@v1/y.go"},
		"vendored":                   {with("vendor/a/b/v.php", "w"), "changed vendor/a/b/v.php"},
		"a new vendored one":         {with("vendor/a/c/v.php", "w"), ""},
		"a file is removed":          {without(sp + "pytest/b.py"), "removed " + sp + "pytest/b.py"},
		"a package is removed":       {without(nm + "@a/b"), ""},
		"a newer version": {
			with(nm+"tape/package.json", `{"version":"2.0.0"}`, nm+"tape/index.js", "tape 2"),
			"renewed " + nm + "tape/index.js, renewed " + nm + "tape/package.json",
		},
		"a newer distribution": {
			func(t *testing.T, dir string) {
				t.Helper()
				without(sp+"pytest-8.0.dist-info")(t, dir)
				with(sp+"pytest-8.1.dist-info/METADATA", "m", sp+"pytest-8.1.dist-info/RECORD", "pytest/a.py,,\n", sp+"pytest/a.py", "8.1")(t, dir)
			}, "renewed " + sp + "pytest/a.py",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			put(t, dir, start)
			roots := []Root{{Dir: filepath.Join(dir, "node_modules")}, {Dir: filepath.Join(dir, "venv")}, {Dir: filepath.Join(dir, "vendor")}, {Dir: filepath.Join(dir, "mod/x@v1"), Kind: Whole}}
			if got := changesOf(t, dir, roots, func() { c.do(t, dir) }); got != c.want {
				t.Errorf("got %v, want %s", got, c.want)
			}
		})
	}
}

func with(pairs ...string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		for i := 0; i < len(pairs); i += 2 {
			put(t, dir, map[string]string{pairs[i]: pairs[i+1]})
		}
	}
}

func without(path string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		if err := os.RemoveAll(filepath.Join(dir, path)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWhatNothingTouchedIsNotReadAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, map[string]string{"a/x": "x"})
	roots := []Root{{Dir: dir}}
	one, err := Take(t.Context(), roots, List{}, never)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "a/x")
	known := one.Files[path]
	known.Sum = "as it was read"
	one.Files[path] = known
	two, err := Take(t.Context(), roots, one, never)
	if err != nil || two.Files[path].Sum != "as it was read" {
		t.Errorf("%+v, %v", two.Files, err)
	}
}
