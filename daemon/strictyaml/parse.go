package strictyaml

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

const (
	// MaxBytes is the longest file that is read.
	MaxBytes = 1 << 20
	// maxDepth bounds nesting inside one line, where it costs one byte a level.
	maxDepth = 32
)

// Doc is one parsed document. It remembers where each value stood, so that
// checks after decoding can point at it too.
type Doc struct {
	src   string
	root  ast.Node
	where map[string]place // path of a value -> its place
	all   bool             // mistakes are collected in found
	found []*Error
}

type place struct{ line, column int }

// Parse reads one document. The error is an *Error; a file that holds nothing is
// one.
func Parse(src []byte) (*Doc, error) {
	d, err := ParseOptional(src)
	if err == nil && d.root == nil {
		return nil, errorAt(d.src, 1, 1, "file is empty", "")
	}
	return d, err
}

// ParseOptional is Parse for a file that may hold nothing, or comments only.
func ParseOptional(src []byte) (*Doc, error) {
	text, err := checkText(src)
	if err != nil {
		return nil, err
	}
	tokens := lexer.Tokenize(text)
	if err := checkTokens(text, tokens); err != nil {
		return nil, err
	}
	root, err := parseTokens(text, tokens)
	if err != nil {
		return nil, err
	}
	return &Doc{src: text, root: root, where: map[string]place{}}, nil
}

// Errorf makes an error about the value at path, in the form that Decode
// records: names and indexes joined by dots, "phases.0.name". The place of the
// nearest enclosing value is taken for one that is absent.
func (d *Doc) Errorf(path, fix, format string, args ...any) *Error {
	at, ok := d.where[path]
	for !ok && path != "" {
		path = path[:max(0, strings.LastIndexByte(path, '.'))]
		at, ok = d.where[path]
	}
	return errorAt(d.src, at.line, at.column, fmt.Sprintf(format, args...), fix)
}

// checkText refuses what is not plain text, so that an excerpt can be printed
// as it is.
func checkText(src []byte) (string, error) {
	if len(src) > MaxBytes {
		return "", &Error{Line: 1, Column: 1, Msg: fmt.Sprintf("file has %d bytes", len(src)), Fix: fmt.Sprintf("at most %d are read", MaxBytes)}
	}
	// A line ends with \n from here on, or the parser would count some twice.
	text := strings.ReplaceAll(strings.TrimPrefix(string(src), "\uFEFF"), "\r\n", "\n")
	line, column := 1, 1
	for i, r := range text {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(text[i:]); size == 1 {
				return "", &Error{Line: line, Column: column, Msg: "text is not UTF-8", Fix: "save the file as UTF-8"}
			}
		}
		if unicode.IsControl(r) && !strings.ContainsRune("\t\n\r", r) {
			return "", &Error{Line: line, Column: column, Msg: fmt.Sprintf("control character %U", r), Fix: `write it as "\u` + fmt.Sprintf("%04X", r) + `" in double quotes`}
		}
		column++
		if r == '\n' {
			line, column = line+1, 1
		}
	}
	return text, nil
}

// refused are the tokens of YAML that these files may not use.
var refused = map[token.Type]string{
	token.AnchorType:    "an anchor (&)",
	token.AliasType:     "an alias (*)",
	token.TagType:       "a tag (!)",
	token.MergeKeyType:  "a merge key (<<)",
	token.DirectiveType: "a directive (%)",
}

// checkTokens refuses extras of YAML and deep nesting before the parser, which
// recurses and takes quadratic time, sees them.
func checkTokens(src string, tokens token.Tokens) error {
	flow, dashes, line, content := 0, 0, 0, false
	for _, t := range tokens {
		if t.Position.Line != line {
			line, dashes = t.Position.Line, 0
		}
		if what, ok := refused[t.Type]; ok {
			return errorAt(src, line, t.Position.Column, what+" is not read here", "write the value out, in quotes if it is text")
		}
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			flow++
		case token.SequenceEndType, token.MappingEndType:
			flow = max(0, flow-1)
		case token.SequenceEntryType, token.MappingKeyType:
			dashes++
		case token.DocumentHeaderType:
			if content {
				return errorAt(src, line, 1, "a second document begins here", "keep one document in a file")
			}
		default: // the parser judges the rest
		}
		if flow+dashes > maxDepth {
			return errorAt(src, line, t.Position.Column, fmt.Sprintf("more than %d levels of nesting", maxDepth), "")
		}
		content = content || t.Type != token.CommentType
	}
	return nil
}

func parseTokens(src string, tokens token.Tokens) (root ast.Node, err error) {
	// The parser is not ours: a panic in it is one more way of saying that the
	// file cannot be read, and must not end a daemon with live runs.
	defer func() {
		if p := recover(); p != nil {
			err = errorAt(src, 1, 1, fmt.Sprintf("file cannot be parsed (%v)", p), "")
		}
	}()
	file, err := parser.Parse(tokens, 0)
	if err != nil {
		var syntax yaml.Error
		if errors.As(err, &syntax) && syntax.GetToken() != nil {
			at := syntax.GetToken().Position
			return nil, errorAt(src, at.Line, at.Column, syntax.GetMessage(), "")
		}
		return nil, errorAt(src, 1, 1, firstLine(err.Error()), "")
	}
	for _, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		if root != nil {
			at := position(doc.Body)
			return nil, errorAt(src, at.line, at.column, "a second document begins here", "keep one document in a file")
		}
		root = doc.Body
	}
	if _, ok := root.(*ast.CommentGroupNode); ok {
		root = nil
	}
	return root, nil
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// position is where a value begins; of a mapping, where its first key does.
func position(n ast.Node) place {
	if m, ok := n.(*ast.MappingNode); ok && !m.IsFlowStyle && len(m.Values) > 0 {
		return position(m.Values[0].Key)
	}
	if m, ok := n.(*ast.MappingValueNode); ok {
		return position(m.Key)
	}
	if t := n.GetToken(); t != nil && t.Position != nil {
		return place{t.Position.Line, t.Position.Column}
	}
	return place{1, 1}
}
