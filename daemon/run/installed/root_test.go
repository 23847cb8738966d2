package installed

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// changesOf lists roots, does something, and names what is not as it was. The list is
// stored in between, as a daemon does it.
func changesOf(t *testing.T, top string, roots []Root, do func()) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "list")
	l, err := Take(t.Context(), roots, List{}, never)
	if err == nil {
		err = l.Save(file)
	}
	if err != nil {
		t.Fatal(err)
	}
	do()
	changes, err := Load(file).Compare(t.Context(), never)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, ch := range changes {
		what := string(ch.What)
		if ch.Renewed {
			what = "renewed"
		}
		got = append(got, what+" "+strings.TrimPrefix(ch.Path, top+"/"))
	}
	slices.Sort(got)
	return strings.Join(got, ", ")
}

func TestChangesOfEachKindOfRoot(t *testing.T) {
	t.Parallel()
	const crates = "crates/index.io-1/"
	start := map[string]string{
		"gems/gems/rake-1/lib/rake.rb": "r", "gems/specifications/rake-1.gemspec": "s", "gems/bin/rake": "b", "gems/cache/rake-1.gem": "zip",
		"gems/extensions/x86/3.4.0/json-1/json.so": "so", "gems/bundler/gems/fork-1/f.rb": "f", "gems/build_info/json-1.info": "i",
		crates + "serde-1/src/lib.rs": "s", crates + ".cargo-lock": "", "crates/CACHEDIR.TAG": "c",
		"deno/registry/chalk/5/i.js": "c", "deno/registry/chalk/registry.json": "r", "deno/registry/@a/b/1/i.js": "b", "deno/registry/@a/b/registry.json": "r",
		"linked/a.py": "a", "linked/run": "not a program", "linked/data.json": "{}", "linked/app.log": "1", "linked/sub/Makefile": "all:",
		"nm/@a/b/i.js": "b", "nm/tape/package.json": `{"version":"1.0.0"}`, "nm/tape/i.js": "t", "nm/.pnpm/lock.yaml": "1",
		"module/a.go": "a", "module/x.pyc": "x", "whole/a.pm": "a", "tools/a.go": "a", "file.py": "f",
	}
	for name, c := range map[string]struct {
		files []string
		want  string
	}{
		"a gem is edited":          {[]string{"gems/gems/rake-1/lib/rake.rb", "exit"}, "changed gems/gems/rake-1/lib/rake.rb"},
		"a file comes into a gem":  {[]string{"gems/gems/rake-1/lib/more.rb", "exit"}, "added gems/gems/rake-1/lib/more.rb"},
		"a gemspec is edited":      {[]string{"gems/specifications/rake-1.gemspec", "exit"}, "changed gems/specifications/rake-1.gemspec"},
		"a gem of git is edited":   {[]string{"gems/bundler/gems/fork-1/f.rb", "exit"}, "changed gems/bundler/gems/fork-1/f.rb"},
		"a native gem is edited":   {[]string{"gems/extensions/x86/3.4.0/json-1/json.so", "x"}, "changed gems/extensions/x86/3.4.0/json-1/json.so"},
		"a new gem of git":         {[]string{"gems/bundler/gems/other-1/f.rb", "f"}, ""},
		"a new gem":                {[]string{"gems/gems/json-2/j.rb", "j", "gems/specifications/json-2.gemspec", "s", "gems/cache/json-2.gem", "z", "gems/extensions/x86/3.4.0/json-2/json.so", "so", "gems/bin/json", "b", "gems/build_info/json-2.info", "i", "gems/doc/json-2/ri/x", "d"}, ""},
		"a crate is edited":        {[]string{crates + "serde-1/src/lib.rs", "x"}, "changed " + crates + "serde-1/src/lib.rs"},
		"a build script comes":     {[]string{crates + "serde-1/build.rs", "x"}, "added " + crates + "serde-1/build.rs"},
		"a new crate":              {[]string{crates + "rand-1/src/lib.rs", "x"}, ""},
		"a new registry":           {[]string{"crates/other-1/rand-1/src/lib.rs", "x"}, ""},
		"a package of Deno":        {[]string{"deno/registry/chalk/5/i.js", "x"}, "changed deno/registry/chalk/5/i.js"},
		"another version of Deno":  {[]string{"deno/registry/chalk/6/i.js", "x", "deno/registry/chalk/registry.json", "2"}, ""},
		"of a scope of Deno":       {[]string{"deno/registry/@a/b/2/i.js", "x", "deno/registry/@a/b/registry.json", "2"}, ""},
		"a source beyond a link":   {[]string{"linked/a.py", "x"}, "changed linked/a.py"},
		"one that comes there":     {[]string{"linked/sub/conftest.py", "x"}, "added linked/sub/conftest.py"},
		"a makefile there":         {[]string{"linked/sub/Makefile", "x"}, "changed linked/sub/Makefile"},
		"data there":               {[]string{"linked/data.json", "[]", "linked/app.log", "2", "linked/new.txt", "x"}, ""},
		"a file that a link names": {[]string{"file.py", "x"}, "changed file.py"},
		"a scope behind a link":    {[]string{"nm/@a/c/i.js", "x", "nm/.pnpm/lock.yaml", "2"}, ""},
		"a package behind a link":  {[]string{"nm/@a/b/more.js", "x"}, "added nm/@a/b/more.js"},
		"another version of one":   {[]string{"nm/tape/package.json", `{"version":"2.0.0"}`}, "renewed nm/tape/package.json"},
		"bytecode in a module":     {[]string{"module/x.pyc", "y"}, "changed module/x.pyc"},
		"a module to search in":    {[]string{"whole/b.pm", "b"}, "added whole/b.pm"},
		"a tool":                   {[]string{"tools/a.go", "b"}, "changed tools/a.go"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			put(t, dir, start)
			at := func(r Root, name string) Root { r.Dir = filepath.Join(dir, name); return r }
			roots := []Root{
				at(Root{Kind: Gems}, "gems"), at(Root{Depth: 2}, "crates"), at(Root{Depth: 3}, "deno"), at(Root{Kind: Linked}, "linked"),
				at(Root{Kind: Linked}, "file.py"), at(Root{As: "node_modules"}, "nm"), at(Root{Kind: Module}, "module"), at(Root{Kind: Whole}, "whole"),
				at(Root{Kind: Tools}, "tools"),
			}
			if got := changesOf(t, dir, roots, func() { with(c.files...)(t, dir) }); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestAProgramBeyondALinkIsCompared(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, map[string]string{"run": "#!/bin/sh\nexit 1\n"})
	run := filepath.Join(dir, "run")
	if err := os.Chmod(run, 0o755); err != nil {
		t.Fatal(err)
	}
	got := changesOf(t, dir, []Root{{Dir: dir, Kind: Linked}}, func() {
		if err := os.WriteFile(run, []byte("#!/bin/sh\nexit 0\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	})
	if got != "changed run" {
		t.Error(got)
	}
}

func TestARootWithTooManyFilesIsNamedAndNotCompared(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, map[string]string{"big/1.py": "", "big/2.py": "", "big/3.py": "", "fit/1.py": ""})
	big, fit := Root{Dir: filepath.Join(dir, "big"), Kind: Linked, Most: 3}, Root{Dir: filepath.Join(dir, "fit"), Kind: Linked, Most: 3}
	l, err := Take(t.Context(), []Root{big, fit}, List{}, never)
	if err != nil || !slices.Equal(l.Large, []string{big.Dir}) || !slices.Equal(l.Roots, []Root{fit}) || len(l.Files) != 1 {
		t.Errorf("%+v, %v", l, err)
	}
}

// TestTheSumOfAModuleIsThatOfGo compares with what dirhash.HashDir says of these files.
func TestTheSumOfAModuleIsThatOfGo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, map[string]string{"a.go": "package a\n", "go.mod": "module x.org/a\n", "a-b": "x", "sub/x.pyc": "cached\n"})
	names := map[string]string{dir: "x.org/a@v1.0.0"}
	take := func() string {
		l, err := Take(t.Context(), []Root{{Dir: dir, Kind: Module}}, List{}, never)
		if err != nil {
			t.Fatal(err)
		}
		return l.GoSums(names)[dir]
	}
	const want = "h1:YthzvvgqBV/J6xshDFrH2pbwJ5C+i9TWBrTciGn+jRo="
	if sum := take(); sum != want {
		t.Errorf("%s, want %s", sum, want)
	}
	put(t, dir, map[string]string{"sub/x.pyc": "planted\n"})
	if take() == want {
		t.Error("another file, and the same sum")
	}
	l := List{Roots: []Root{{Dir: dir, Kind: Module}}, Files: map[string]File{filepath.Join(dir, "a.go"): {}}}
	if sum, ok := l.GoSums(names)[dir]; ok {
		t.Errorf("%q of a file that was not read", sum)
	}
}
