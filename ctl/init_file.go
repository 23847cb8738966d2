package ctl

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"autopilot/ctl/render"
	"autopilot/events"
	"autopilot/events/wire"
)

// checkTarget says why a file could not be written, before anything is done for
// it. Neither the file nor its directory may be a link: what it leads to is not
// what a run would read as its project's.
func checkTarget(root, path string, force bool) error {
	dir := filepath.Dir(path)
	switch info, err := os.Lstat(dir); {
	case errors.Is(err, fs.ErrNotExist):
		dir = root
	case err != nil:
		return render.NoInit(path, cause(err))
	case !info.IsDir():
		return render.NoInit(path, fmt.Errorf("%s is no directory of its own", dir))
	}
	switch info, err := os.Lstat(path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return render.NoInit(path, cause(err))
	case !info.Mode().IsRegular():
		return render.NoInit(path, errors.New("what is there is no regular file"))
	case !force:
		return render.ConfigExists(path)
	}
	f, err := os.CreateTemp(dir, tempName(path))
	if err != nil {
		return render.NoInit(path, cause(err))
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// write puts the file in its place at once.
func (i *setup) write(context.Context) error {
	path := i.view.Config
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return render.NoInit(path, cause(err))
	}
	// It may have come while the tests ran.
	if err := checkTarget(i.view.Project.Root, path, i.o.force); err != nil {
		return err
	}
	if err := replaceFile(path, configText(i.view), 0o644); err != nil {
		return render.NoInit(path, cause(err))
	}
	return nil
}

const configHead = `# How autopilot runs agents here.
#   apctl config check     is it right?
#   apctl config show      every setting, its value and where that comes from
# It is used once a person has agreed to it (apctl trust), and after each change
# again.

`

const configLimits = `
# When a run ends if nothing else ends it. Flags of apctl run win.
# limits:
#   iterations: 10
#   for: 8h                # of activity
#   until: "07:00"

# Further files that the agent must not change; tests are pinned anyway.
# protect: ["api/**"]
`

// configText is the file.
func configText(v wire.InitView) string {
	var b strings.Builder
	b.WriteString(configHead)
	b.WriteString("# The agent; apctl agent ls lists those that are known.\n")
	if v.Agent != "" {
		b.WriteString("agent: " + scalar(v.Agent) + "\n")
	} else {
		b.WriteString("# agent: claude\n")
	}
	b.WriteString("\n" + gatesText(written(v)) + othersText(v.Project))
	b.WriteString(checkoutText(v.Project.Setup))
	b.WriteString(configLimits)
	return b.String()
}

const gatesHead = `# What has to hold in the end; autopilot runs it itself, after each iteration.
# A command is a goal: at least one fails when a run begins, and all pass when
# it is done. An invariant passes from the start and stays so.
`

func gatesText(gates []gateLine) string {
	active := false
	var b strings.Builder
	for _, g := range gates {
		active = active || g.why == ""
	}
	b.WriteString(gatesHead)
	prefix := ""
	if !active {
		prefix = "# "
	}
	b.WriteString(prefix + "gates:\n")
	if len(gates) == 0 {
		b.WriteString("#   test: ./run-tests.sh   # FILL IN: a command that exits 0 only when all is well\n")
	}
	for _, g := range gates {
		line := "  " + string(g.Name) + ": " + scalar(g.Command)
		if g.Role == events.RoleInvariant {
			line = "  " + string(g.Name) + ": {run: " + scalar(g.Command) + ", role: invariant}"
		}
		for _, h := range g.Hidden {
			b.WriteString("  # " + render.Line(render.HiddenComment(h)) + "\n")
		}
		if g.why != "" {
			b.WriteString("  # left out: " + render.Line(g.why) + "\n#" + line)
		} else {
			b.WriteString(line)
		}
		b.WriteString("   # from " + render.Line(g.From) + "\n")
	}
	return b.String()
}

const othersHead = `  # Tests of other packages. Take out the # of those that a run has to pass too.
`

// othersText are the goals of other packages, as comments.
func othersText(p wire.ProjectView) string {
	if len(p.Others) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(othersHead)
	for _, g := range p.Others {
		b.WriteString("#  " + string(g.Name) + ": " + scalar(g.Command) + "   # from " + render.Line(g.From) + "\n")
	}
	if p.More > 0 {
		fmt.Fprintf(&b, "  # and %d more packages\n", p.More)
	}
	return b.String()
}

func checkoutText(setup string) string {
	head := "\n# checkout: clean makes a run also pass its gates in a fresh checkout before\n# it is done; setup prepares that.\n"
	if setup == "" {
		return head + "# checkout: clean\n# setup: make deps\n"
	}
	return head + "# checkout: clean\n# setup: " + scalar(setup) + "\n" // without a clean checkout nothing uses it
}

// plainScalar is text that YAML takes as it is, also within braces.
var plainScalar = regexp.MustCompile(`^[A-Za-z./][A-Za-z0-9 ./_=+-]*$`)

// scalar writes text as one value of YAML, on one line.
func scalar(text string) string {
	switch strings.ToLower(text) {
	case "true", "false", "null", "yes", "no", "on", "off", "y", "n", ".inf", ".nan", "":
	default:
		if plainScalar.MatchString(text) && !strings.HasSuffix(text, " ") {
			return text
		}
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range strings.ToValidUTF8(text, "\ufffd") {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < 0x20 || r >= 0x7f && r < 0xa0 || r == 0x2028 || r == 0x2029 || r == 0xfeff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
