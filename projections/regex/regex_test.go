package regex_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A pattern that does not compile would be met by its first user, so here is every one of the
// repository that is written as text; the few that are put together are used by tests of theirs.
func TestEveryPatternCompiles(t *testing.T) {
	t.Parallel()
	var found int
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || !isNew(call) {
				return true
			}
			text, err := written(call.Args[0])
			if errors.Is(err, errComputed) {
				return true
			}
			found++
			if err == nil {
				_, err = regexp.Compile(text)
			}
			if err != nil {
				t.Errorf("%s: %v", files.Position(call.Pos()), err)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < 200 {
		t.Errorf("found %d patterns", found)
	}
}

func isNew(call *ast.CallExpr) bool {
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || f.Sel.Name != "New" || len(call.Args) != 1 {
		return false
	}
	pkg, ok := f.X.(*ast.Ident)
	return ok && pkg.Name == "regex"
}

var errComputed = errors.New("it is not written as text")

// written is the text of literals that are added up.
func written(e ast.Expr) (string, error) {
	switch e := e.(type) {
	case *ast.BasicLit:
		return strconv.Unquote(e.Value)
	case *ast.BinaryExpr:
		x, err := written(e.X)
		y, err2 := written(e.Y)
		return x + y, errors.Join(err, err2)
	}
	return "", errComputed
}
