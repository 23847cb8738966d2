package goals

import (
	"fmt"
	"slices"
	"strings"
)

// options are the arguments of a verb: flags that stand alone, flags with values, words.
type options struct {
	on     map[string]bool
	values map[string][]string
	words  []string
}

// form is what a verb takes.
type form struct {
	flags  []string // without a value
	values []string // with one
	words  bool     // text without a flag
}

// read reads arguments, as --name value or --name=value. A value is never one of the
// text, and text is never a flag (lesson O42).
func (f form) read(args []string) (options, error) {
	o := options{on: map[string]bool{}, values: map[string][]string{}}
	for i := 0; i < len(args); i++ {
		arg := args[i]
		name, value, given := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
		switch {
		case arg == "--":
			o.words = append(o.words, args[i+1:]...)
			i = len(args)
		case !strings.HasPrefix(arg, "--"):
			o.words = append(o.words, arg)
		case slices.Contains(f.flags, name) && !given:
			o.on[name] = true
		case slices.Contains(f.flags, name):
			return o, fmt.Errorf("--%s takes no value", name)
		case !slices.Contains(f.values, name):
			return o, fmt.Errorf("the option --%s is not known", name)
		case given:
			o.values[name] = append(o.values[name], value)
		case i+1 == len(args) || strings.HasPrefix(args[i+1], "--"):
			return o, fmt.Errorf("--%s needs a value; one that begins with -- is written --%s=VALUE", name, name)
		default:
			i++
			o.values[name] = append(o.values[name], args[i])
		}
	}
	if len(o.words) > 0 && !f.words {
		return o, fmt.Errorf("%q is not an option", o.words[0])
	}
	for name, all := range o.values {
		if len(all) > 1 && name != "goal" {
			return o, fmt.Errorf("--%s is given twice", name)
		}
	}
	return o, nil
}

// value is the value of an option, empty without it.
func (o options) value(name string) string {
	if v := o.values[name]; len(v) > 0 {
		return v[0]
	}
	return ""
}

// need is the value of an option that has to be given.
func (o options) need(name string) (string, error) {
	if v := o.value(name); strings.TrimSpace(v) != "" {
		return v, nil
	}
	return "", fmt.Errorf("--%s is missing", name)
}
