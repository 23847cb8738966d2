package main

import (
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// heading is how the library writes a flag: with its default in the place of its
// value, an empty one as well.
var heading = regexp.MustCompile(`(?m)^(?:\\fB-\w\\fP, )?\\fB--([\w-]+)\\fP\S*\n\t(.*)$`)

// withFlags writes the flags of a page anew: each with the name of its value,
// and with its default where that is something.
func withFlags(page []byte, cmd *cobra.Command) []byte {
	return heading.ReplaceAllFunc(page, func(old []byte) []byte {
		m := heading.FindSubmatch(old)
		if f := cmd.Flag(string(m[1])); f != nil {
			return []byte(head(f) + "\n\t" + string(m[2]) + preset(f))
		}
		return old
	})
}

func head(f *pflag.Flag) string {
	h := ""
	if f.Shorthand != "" {
		h = `\fB-` + f.Shorthand + `\fP, `
	}
	h += `\fB--` + f.Name + `\fP`
	value, _ := pflag.UnquoteUsage(f)
	switch {
	case f.Value.Type() == "bool":
		return h
	case f.NoOptDefVal != "":
		return h + `[=\fI` + value + `\fP]`
	}
	return h + ` \fI` + value + `\fP`
}

// preset is the default of a flag; nothing where that is empty, nothing or no.
func preset(f *pflag.Flag) string {
	if slices.Contains([]string{"", "[]", "false", "0", "0s", "<nil>"}, f.DefValue) {
		return ""
	}
	return " (default " + strings.ReplaceAll(f.DefValue, `\`, `\e`) + ")"
}
