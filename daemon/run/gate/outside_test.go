package gate

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"autopilot/daemon/run/installed"
	"autopilot/projections/rule"
)

var kindNames = map[installed.Kind]string{
	installed.Packages: "packages", installed.Whole: "whole", installed.Tools: "tools", installed.Gems: "gems",
	installed.Module: "module", installed.Linked: "linked",
}

// everything is a work tree of all languages.
var everything = Loads{Dirs: []string{".", "web"}, Go: true, Node: true, Python: true, Ruby: true, Rust: true}

// outsideCase is a machine, as files and links below the stage, and the roots that gates
// load from there.
type outsideCase struct {
	files   []string          // a folder ends with a slash
	links   map[string]string // by their places
	program []string          // that PATH has, as links to files
	env     []string          // of the client
	extra   map[string]string // gate.env
	sums    string            // go.sum
	want    string
}

var outsideCases = map[string]outsideCase{
	"nothing": {},
	"GOROOT of the program": {
		files: []string{"opt/go/src/runtime/", "opt/go/bin/go!", "opt/go/pkg/tool/"}, program: []string{"opt/go/bin/go"},
		want: "tools opt/go/bin, tools opt/go/pkg/tool, tools opt/go/src",
	},
	"GOROOT of the environment": {
		files: []string{"opt/go/src/runtime/", "opt/go/bin/"}, env: []string{"GOROOT=/opt/go"}, want: "tools opt/go/bin, tools opt/go/src",
	},
	"GOROOT that go env -w wrote": {
		files: []string{"opt/go/src/runtime/", "home/.config/go/env=GOROOT=/opt/go"}, want: "tools opt/go/src",
	},
	"GOROOT that Go downloaded": {
		files: []string{"home/go/pkg/mod/golang.org/toolchain@v0.0.1-go1.99.0.linux-amd64/src/runtime/"},
		want:  "tools home/go/pkg/mod/golang.org/toolchain@v0.0.1-go1.99.0.linux-amd64/src",
	},
	"GOROOT of a version manager": {
		files: []string{"asdf/installs/golang/1.26.0/go/src/runtime/"}, env: []string{"ASDF_DATA_DIR=/asdf"},
		want: "tools asdf/installs/golang/1.26.0/go/src",
	},
	"modules of GOMODCACHE": {
		files: []string{"mod/x.org/!big@v1.0.0/", "mod/x.org/other@v1.0.0/", "mod/cache/download/x.org/!big/@v/"}, env: []string{"GOMODCACHE=/mod"},
		sums: "x.org/Big v1.0.0 h1:a=\nx.org/Big v1.0.0/go.mod h1:b=\nx.org/other v1.0.0/go.mod h1:c=\nx.org/gone v1.0.0 h1:c=\n../../etc v1 h1:d=\n",
		want: "module mod/x.org/!big@v1.0.0",
	},
	"modules where go env -w says": {
		files: []string{"mod/x.org/a@v1.0.0/", "home/.config/go/env=GOMODCACHE=/mod"}, sums: "x.org/a v1.0.0 h1:a=\n",
		want: "module mod/x.org/a@v1.0.0",
	},
	"modules of GOPATH": {
		files: []string{"gp/pkg/mod/x.org/a@v1.0.0/"}, env: []string{"GOPATH=/gp:/other"}, sums: "x.org/a v1.0.0 h1:a=\n",
		want: "module gp/pkg/mod/x.org/a@v1.0.0",
	},
	"gems": {
		files: []string{"gems/gems/", "more/gems/", "bundle/ruby/3.4.0/gems/", "work/vendor/bundle/ruby/3.4.0/gems/"},
		env:   []string{"GEM_HOME=/gems", "GEM_PATH=/gems:/more", "BUNDLE_PATH=/bundle"},
		want:  "gems bundle/ruby/3.4.0, gems gems, gems more, packages work/vendor, gems work/vendor/bundle/ruby/3.4.0",
	},
	"gems of a version manager": {
		files: []string{"rbenv/versions/3.4.1/lib/ruby/gems/3.4.0/", "rbenv/versions/3.4.1/lib/ruby/3.4.0/"}, env: []string{"RBENV_ROOT=/rbenv"},
		want: "tools rbenv/versions/3.4.1/lib/ruby/3.4.0, gems rbenv/versions/3.4.1/lib/ruby/gems/3.4.0",
	},
	"crates": {
		files: []string{"home/.cargo/registry/src/index/", "home/.cargo/git/checkouts/", "home/.rustup/toolchains/stable/lib/rustlib/x86_64/lib/", "home/.rustup/toolchains/stable/bin/"},
		want: "packages home/.cargo/git/checkouts, packages home/.cargo/registry/src, packages home/.rustup/toolchains/stable/bin, " +
			"tools home/.rustup/toolchains/stable/lib/rustlib/x86_64/lib",
	},
	"a conda environment": {
		files: []string{"conda/conda-meta/", "conda/lib/python3.12/site-packages/", "conda/bin/"}, env: []string{"CONDA_PREFIX=/conda"},
		want: "packages conda/bin, packages conda/lib/python3.12/site-packages",
	},
	"a folder that is no environment": {
		files: []string{"conda/lib/python3.12/site-packages/", "conda/bin/"}, env: []string{"CONDA_PREFIX=/conda"},
	},
	"an environment that only PATH names": {
		files: []string{"opt/venv/pyvenv.cfg", "opt/venv/lib/python3.12/site-packages/", "opt/venv/bin/"}, env: []string{"PATH=/opt/venv/bin"},
		want: "packages opt/venv/bin, packages opt/venv/lib/python3.12/site-packages",
	},
	"a program with an environment of its own": {
		files:   []string{"pipx/venvs/pytest/pyvenv.cfg", "pipx/venvs/pytest/lib/python3.12/site-packages/", "pipx/venvs/pytest/bin/pytest!"},
		program: []string{"pipx/venvs/pytest/bin/pytest"},
		want:    "packages pipx/venvs/pytest/bin, packages pipx/venvs/pytest/lib/python3.12/site-packages",
	},
	"an environment of the work tree": {
		files: []string{"work/.venv/pyvenv.cfg", "work/.venv/lib/python3.12/site-packages/", "work/.venv/bin/"},
		want:  "packages work/.venv/bin, packages work/.venv/lib/python3.12/site-packages",
	},
	"the global packages of node": {
		files: []string{"opt/node/bin/node!", "opt/node/lib/node_modules/npm/"}, program: []string{"opt/node/bin/node"},
		want: "packages opt/node/lib/node_modules",
	},
	"another prefix of npm": {
		files: []string{"home/.npm-global/bin/", "home/.npm-global/lib/node_modules/jest/"}, env: []string{"PATH=/home/.npm-global/bin"},
		want: "packages home/.npm-global/lib/node_modules",
	},
	"global packages of pnpm, Bun and Volta": {
		files: []string{"pnpm/global/5/node_modules/", "bun/install/global/node_modules/", "volta/tools/image/node/22.1.0/lib/node_modules/", "deno/npm/registry.npmjs.org/"},
		env:   []string{"PNPM_HOME=/pnpm", "BUN_INSTALL=/bun", "VOLTA_HOME=/volta", "DENO_DIR=/deno"},
		want: "packages bun/install/global/node_modules, packages deno/npm, packages pnpm/global/5/node_modules, " +
			"packages volta/tools/image/node/22.1.0/lib/node_modules",
	},
	"the libraries of Python": {
		files:   []string{"opt/py/bin/python3!", "opt/py/lib/python3.12/site-packages/", "opt/py/lib/python3/dist-packages/"},
		program: []string{"opt/py/bin/python3"},
		want: "tools opt/py/lib/python3, tools opt/py/lib/python3.12, packages opt/py/lib/python3.12/site-packages, " +
			"packages opt/py/lib/python3/dist-packages",
	},
	"the user's site, which gates do not load": {files: []string{"home/.local/lib/python3.12/site-packages/"}},
	"a user's site that they load": {
		files: []string{"base/lib/python3.12/site-packages/"}, extra: map[string]string{"PYTHONUSERBASE": "/base"},
		want: "packages base/lib/python3.12/site-packages",
	},
	"search paths": {
		files: []string{"opt/a/", "opt/b/", "opt/c/", "work/src/"},
		extra: map[string]string{"PYTHONPATH": "/opt/a:src:/work/src:/work:/:", "NODE_PATH": "/opt/b", "RUBYLIB": "/opt/c"},
		want:  "whole opt/a, packages opt/b, whole opt/c",
	},
	"a search path of the client, which gates do not get": {files: []string{"opt/a/"}, env: []string{"PYTHONPATH=/opt/a"}},
	"links out of the work tree": {
		files: []string{"shared/lib/a.py", "shared/tool.sh", "work/web/x", "work/inner/"},
		links: map[string]string{
			"work/lib": "shared/lib", "work/web/tool.sh": "shared/tool.sh", "work/target": "shared", "work/self": "work/inner", "work/up": "",
			"work/none": "shared/none",
		},
		want: "linked shared/lib, linked shared/tool.sh",
	},
	"links in the place of packages": {
		files: []string{"nm/a/", "nm/@s/", "other/b/", "other/c/", "venv/pyvenv.cfg", "venv/lib/python3.12/site-packages/x.pth=/other/c", "venv/bin/"},
		links: map[string]string{"work/node_modules": "nm", "nm/@s/b": "other/b", "work/.venv": "venv"},
		want: "packages nm as node_modules, linked other/b, linked other/c, linked venv, packages venv/bin, " +
			"packages venv/lib/python3.12/site-packages",
	},
}

func TestOutsideRoots(t *testing.T) {
	t.Parallel()
	for name, c := range outsideCases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			top := filepath.Dir(s.work)
			at := func(list string) string {
				dirs := strings.Split(list, ":")
				for i, dir := range dirs {
					if strings.HasPrefix(dir, "/") {
						dirs[i] = filepath.Join(top, dir)
					}
				}
				return strings.Join(dirs, ":")
			}
			s.lay(top, c)
			r := s.request("pytest")
			for _, kv := range c.env {
				name, value, _ := strings.Cut(kv, "=")
				r.ClientEnv = append(r.ClientEnv, name+"="+at(value))
			}
			r.Extra = map[string]string{}
			for name, value := range c.extra {
				r.Extra[name] = at(value)
			}
			of := everything
			of.GoSums = [][]byte{[]byte(c.sums)}
			var got []string
			for _, root := range s.pinAs(r).OutsideRoots(of) {
				line := kindNames[root.Kind] + " " + strings.TrimPrefix(root.Dir, top+"/")
				if root.As == "node_modules" {
					line += " as " + root.As
				}
				got = append(got, line)
			}
			equal(t, "roots", strings.Join(got, ", "), c.want)
		})
	}
}

// lay makes the files and links of a case. Text behind = is the content, a path in it one
// below the stage, and an exclamation mark stands for a program.
func (s *stage) lay(top string, c outsideCase) {
	s.t.Helper()
	for _, file := range c.files {
		name, text, _ := strings.Cut(file, "=")
		if before, path, ok := strings.Cut(text, "/"); ok {
			text = before + filepath.Join(top, path)
		}
		program, is := strings.CutSuffix(name, "!")
		switch {
		case is:
			s.program(top, program, "")
		case strings.HasSuffix(name, "/"):
			mkdir(s.t, filepath.Join(top, name))
		default:
			write(s.t, top, name, text+"\n", 0o644)
		}
	}
	links := map[string]string{}
	for from, to := range c.links {
		links[from] = to
	}
	for _, p := range c.program {
		links["bin/"+filepath.Base(p)] = p
	}
	for from, to := range links {
		mkdir(s.t, filepath.Dir(filepath.Join(top, from)))
		if err := os.Symlink(filepath.Join(top, to), filepath.Join(top, from)); err != nil {
			s.t.Fatal(err)
		}
	}
}

func TestOnlyTheLibrariesOfLanguagesInTheWorkTreeAreRoots(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	top := filepath.Dir(s.work)
	s.lay(top, outsideCase{
		files:   []string{"opt/bin/node!", "opt/bin/python3!", "opt/lib/node_modules/", "opt/lib/python3.12/"},
		program: []string{"opt/bin/node", "opt/bin/python3"},
	})
	p := s.pin("true")
	for want, of := range map[string]Loads{"": {}, "opt/lib/node_modules": {Node: true}, "opt/lib/python3.12": {Python: true}} {
		var got []string
		for _, root := range p.OutsideRoots(of) {
			got = append(got, strings.TrimPrefix(root.Dir, top+"/"))
		}
		equal(t, want, strings.Join(got, ","), want)
	}
}

func TestCachesOfTheDaemonAreNoRoots(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	mkdir(t, filepath.Join(s.state, "cache/gomod/x.org/a@v1.0.0")) // where Go has no other place
	p := s.pinAs(PinRequest{
		Workspace: s.work, Home: filepath.Join(s.state, "home"), Cache: filepath.Join(s.state, "cache"),
		ClientEnv: []string{"HOME=" + s.home, "PATH=" + s.bin}, Commands: []rule.Command{{Text: "true"}},
	})
	of := Loads{Go: true, GoSums: [][]byte{[]byte("x.org/a v1.0.0 h1:a=\n")}}
	if roots := p.OutsideRoots(of); slices.ContainsFunc(roots, func(r installed.Root) bool { return r.Kind == installed.Module }) {
		t.Errorf("%+v", roots)
	}
	if len(p.Modules(of.GoSums)) != 1 {
		t.Error("its modules are not summed")
	}
}
