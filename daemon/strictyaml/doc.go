// Package strictyaml reads the small YAML files that people write for autopilot
// and says exactly what is wrong with them.
//
// It owns the subset of YAML that such a file may use: one document of
// mappings, lists and plain values. Anchors, aliases, merge keys, tags,
// directives and a second document are refused, so what is read is what stands
// there and reading costs no more than the file's size.
//
// Promises:
//   - An unknown key, a key given twice and a value of another kind are errors.
//     Nothing is converted: `name: 1` is not text.
//   - Every error is an *Error with line, column, the lines around it and,
//     where there is one, the fix.
//   - No input makes it panic or recurse deeply.
//
// It never reads files, environment or clock, and keeps no state.
package strictyaml
