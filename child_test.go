package autopilot_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// unscrubbed are the files that may start a program with all that they were given,
// and why.
var unscrubbed = map[string]string{
	"probe/sample_other.go":            "a program of the system that knows no git",
	"ctl/daemon_service.go":            "the manager of services knows no git",
	"daemon/test/proctest/proctest.go": "it has taken the variables away from the whole test binary",
}

// starts are the places in a file that start a program with an environment that
// may point git at another repository: none that is said, or the own one as it is.
func starts(name string, src []byte) ([]string, error) {
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, name, src, 0)
	if err != nil {
		return nil, err
	}
	var bad []string
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		env := assigned(files, fn, "Env")
		scrubbed := len(env) > 0 && !slices.ContainsFunc(env, func(text string) bool {
			return strings.Contains(strings.ToLower(text), "environ") && !strings.Contains(text, "WithoutRepository(") && !strings.Contains(text, "daemonEnv(")
		})
		ast.Inspect(fn, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && !scrubbed {
				switch text(files, call.Fun) {
				case "exec.Command", "exec.CommandContext", "os.StartProcess":
					bad = append(bad, files.Position(call.Pos()).String())
				}
			}
			return true
		})
	}
	return bad, nil
}

// assigned are the values that a function gives to members of that name.
func assigned(files *token.FileSet, fn *ast.FuncDecl, member string) (out []string) {
	ast.Inspect(fn, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok && len(a.Lhs) == len(a.Rhs) {
			for i, to := range a.Lhs {
				if sel, ok := to.(*ast.SelectorExpr); ok && sel.Sel.Name == member {
					out = append(out, text(files, a.Rhs[i]))
				}
			}
		}
		return true
	})
	return out
}

func text(files *token.FileSet, n ast.Node) string {
	var b bytes.Buffer
	_ = printer.Fprint(&b, files, n)
	return b.String()
}

// Lesson S54: what inherits GIT_DIR and its like works on another repository than
// that of its directory.
func TestS54NoProgramInheritsWhatPointsGitElsewhere(t *testing.T) {
	t.Parallel()
	seen := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || unscrubbed[path] != "" {
			return err
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if bytes.Contains(src, []byte("exec.Command")) {
			seen++
		}
		bad, err := starts(path, src)
		for _, at := range bad {
			t.Errorf("%s: a program is started with whatever environment there is: set Env, and take marker.WithoutRepository of an inherited one", at)
		}
		return err
	})
	if err != nil || seen == 0 {
		t.Errorf("%d files that start a program: %v", seen, err)
	}
}

func TestS54ProgramsThatInheritAreFoundInCode(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]int{
		"exec.Command(`git`).Run()":                                                         1,
		"cmd := exec.CommandContext(ctx, `git`); cmd.Env = os.Environ()":                    1,
		"cmd := exec.Command(`git`); cmd.Dir, cmd.Env = d, a.Environ":                       1,
		"cmd := exec.Command(`git`); cmd.Env = marker.WithoutRepository(a.Environ)":         0,
		"cmd := exec.Command(`git`); cmd.Dir, cmd.Env = d, []string{`PATH=/bin`}":           0,
		"cmd := exec.Command(`git`); cmd.Env = append(daemonEnv(os.Environ()), `A=b`)":      0,
		"cmd := exec.Command(`git`); cmd.Env = append(os.Environ(), `A=b`); _ = cmd.Run()":  1,
		"a := exec.Command(`a`); a.Env = nil; b := exec.Command(`b`); b.Env = os.Environ()": 2,
	} {
		got, err := starts("x.go", []byte("package p\nfunc f() { "+body+" }\n"))
		if err != nil || len(got) != want {
			t.Errorf("%s: %v %v", body, got, err)
		}
	}
}
