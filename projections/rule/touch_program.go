package rule

import (
	"slices"
	"strings"
)

// program reads the arguments of a program that changes files.
func (t *toucher) program(name string, args []string) {
	switch name {
	case "gh":
		t.gh(args)
	case "rm", "unlink", "rmdir", "trash":
		ops, _ := operands(args, "")
		t.gone(ops...)
	case "shred":
		ops, _ := operands(args, "ns")
		t.gone(ops...)
	case "mv":
		t.move(args)
	case "cp", "install", "ln", "rsync":
		ops, place := landing(args, "tmog")
		t.into(place, ops)
	case "tee", "sponge":
		ops, _ := operands(args, "")
		t.wrote(ops...)
	case "truncate":
		ops, _ := operands(args, "sr")
		t.wrote(ops...)
	case "patch":
		ops, _ := operands(args, "pidorBDFVYz")
		t.wrote(ops[:min(len(ops), 1)]...)
	case "chmod":
		t.mode(args)
	case "sed", "perl":
		t.inPlace(args)
	case "dd":
		for _, a := range args {
			if of, ok := strings.CutPrefix(a, "of="); ok {
				t.wrote(of)
			}
		}
	}
}

func (t *toucher) move(args []string) {
	ops, place := landing(args, "tS")
	t.gone(ops...)
	t.into(place, ops)
}

// landing divides what is moved or copied from the place that it goes to.
func landing(args []string, valued string) (ops []string, place string) {
	ops, options := operands(args, valued)
	if i := slices.Index(options, "-t"); i >= 0 && i+1 < len(options) {
		return ops, options[i+1]
	}
	for _, o := range options {
		if dir, ok := strings.CutPrefix(o, "--target-directory="); ok {
			return ops, dir
		}
	}
	if len(ops) < 2 {
		return ops, ""
	}
	return ops[:len(ops)-1], ops[len(ops)-1]
}

// mode is a change of modes: what was executable may be so no more.
func (t *toucher) mode(args []string) {
	for i, a := range args { // a mode may look like an option
		if a != "-R" && a != "-v" && a != "-f" && a != "-c" && !strings.HasPrefix(a, "--") {
			t.gone(args[i+1:]...)
			return
		}
	}
}

// inPlace is an editor of streams, sed or perl, that is told to change its files.
// The first word that is no option is its script, unless an option has that.
func (t *toucher) inPlace(args []string) {
	var files []string
	in, script := false, false
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "--":
			files, i = append(files, args[i+1:]...), len(args)
		case strings.HasPrefix(a, "--"):
			in = in || strings.HasPrefix(a, "--in-place")
			script = script || strings.HasPrefix(a, "--expression=") || strings.HasPrefix(a, "--file=")
		case len(a) < 2 || a[0] != '-':
			files = append(files, a)
		case strings.Contains(a, "i"): // what follows in it is a suffix
			in = true
		case strings.HasSuffix(a, "e") || strings.HasSuffix(a, "f"):
			script, i = true, i+1
		}
	}
	if !script {
		files = files[min(len(files), 1):]
	}
	if in {
		t.wrote(files...)
	}
}

// rewrites says that a command of git changes files of a work tree that it does not
// name.
func rewrites(args []string) bool {
	_, options := operands(args[1:], "")
	first := strings.Join(args[1:min(len(args), 2)], "")
	switch args[0] {
	case "switch", "pull", "merge", "rebase", "cherry-pick", "revert", "am", "apply", "clean":
		return !slices.Contains(options, "-n") && !slices.Contains(options, "--dry-run") && !slices.Contains(options, "--check") && !slices.Contains(options, "--stat")
	case "reset":
		return slices.Contains(options, "--hard") || slices.Contains(options, "--merge") || slices.Contains(options, "--keep")
	case "stash":
		return first != "list" && first != "show" && first != "drop" && first != "create" && first != "store" && first != "clear"
	}
	return false
}

// git reads the commands of git that change files which are named.
func (t *toucher) git(args []string) {
	defer func(dir string) { t.dir = dir }(t.dir)
	for len(args) > 1 && strings.HasPrefix(args[0], "-") {
		switch args[0] {
		case "-C":
			t.dir, _ = t.at(args[1])
			args = args[2:]
		case "-c", "--git-dir", "--work-tree", "--namespace":
			args = args[2:]
		default:
			args = args[1:]
		}
	}
	if len(args) == 0 {
		return
	}
	if args[0] == "push" {
		t.push(args[1:])
		return
	}
	if t.dir != "" && rewrites(args) {
		t.trees = append(t.trees, t.dir)
	}
	ops, options := operands(args[1:], "sbB")
	if i := slices.Index(args, "--"); i >= 0 {
		ops = args[i+1:] // what is before it is a version
	}
	index := slices.Contains(options, "--cached") || (slices.Contains(options, "--staged") || slices.Contains(options, "-S")) &&
		!slices.Contains(options, "--worktree") && !slices.Contains(options, "-W")
	switch {
	case index:
	case args[0] == "checkout" || args[0] == "restore" || args[0] == "rm":
		t.gone(ops...)
	case args[0] == "mv":
		t.move(args[1:])
	}
}
