package rule

import (
	"path"
	"slices"
	"strings"
)

// nodeRun is what a package manager of JavaScript is asked to do.
type nodeRun struct {
	dirs       []string // options that name a folder
	workspaces []string // names or folders of packages; empty is the one at hand
	all        bool     // every package of the repository
	scripts    []string // may be globs; an empty one is only known when it runs
	exec       []string // a program of node_modules, with its arguments
	text       []string // further command lines
}

// here says that the scripts are those of the package at hand.
func (n nodeRun) here() bool { return len(n.dirs)+len(n.workspaces) == 0 && !n.all }

var installScripts = []string{"preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare"}

// nodeFolders and nodeValued are the options that take a word of their own.
var (
	nodeFolders = []string{"-C", "--prefix", "--dir", "--cwd"}
	nodeValued  = wordSet(`-w --workspace --filter -F -p --package --loglevel --reporter --concurrency --scope --target -t --targets --projects --userconfig --registry --cache --config -c --call`)
)

// nodeCall reads a simple command; ok is false where it is none of these programs.
func nodeCall(words []string) (n nodeRun, ok bool) {
	name := path.Base(words[0])
	switch name {
	case "npm", "pnpm", "yarn", "bun", "lerna", "turbo", "nx", "wsrun", "rush":
		n.dirs = slices.DeleteFunc(optionValues(words, nodeFolders), func(d string) bool { return d == "" })
		n.manager(name, words[1:])
	case "npx", "bunx", "pnpx":
		n.exec = execRest(words[1:])
		n.text = optionValues(words, []string{"-c", "--call"})
	case "run-s", "run-p", "npm-run-all", "npm-run-all2":
		for _, w := range words[1:] {
			if first, _, _ := strings.Cut(w, " "); !strings.HasPrefix(w, "-") {
				n.scripts = append(n.scripts, strings.ReplaceAll(strings.ReplaceAll(first, "**", "*"), ":*:", ":*"))
			}
		}
	case "concurrently", "conc":
		for _, w := range words[1:] {
			if script, ok := strings.CutPrefix(w, "npm:"); ok {
				first, _, _ := strings.Cut(script, " ")
				n.scripts = append(n.scripts, first)
			} else if strings.Contains(w, " ") {
				n.text = append(n.text, w)
			}
		}
	case "cross-env", "cross-env-shell", "dotenv", "dotenvx", "c8", "nyc", "env-cmd", "wait-on", "start-server-and-test":
		n.exec = slices.DeleteFunc(execRest(words[1:]), func(w string) bool { return strings.Contains(w, "=") })
	case "node":
		n.scripts = append(n.scripts, optionValues(words, []string{"--run"})...)
		return n, len(n.scripts) > 0
	default:
		return n, false
	}
	return n, true
}

// execRest is the command behind options.
func execRest(words []string) []string {
	for i := 0; i < len(words); i++ {
		switch w := words[i]; {
		case w == "--":
			return words[i+1:]
		case nodeValued[w] || w == "-f" || w == "-e":
			i++
		case strings.HasPrefix(w, "-"), strings.Contains(w, "=") && !strings.Contains(w, "/"):
		case w == "run" && i == 0:
		default:
			return words[i:]
		}
	}
	return nil
}

// operandsOf are the words that are neither options nor their values, up to --,
// and what comes behind that.
func operandsOf(words []string) (ops, rest []string) {
	for i := 0; i < len(words); i++ {
		switch w := words[i]; {
		case w == "--":
			return ops, words[i+1:]
		case nodeValued[w] || slices.Contains(nodeFolders, w):
			i++
		case strings.HasPrefix(w, "-"):
		default:
			ops = append(ops, w)
		}
	}
	return ops, nil
}

func (n *nodeRun) manager(name string, words []string) {
	ops, rest := operandsOf(words)
	n.workspaces = append(n.workspaces, optionValues(words, []string{"-w", "--workspace"})...)
	filtered := len(optionValues(words, []string{"--filter", "-F", "--scope"})) > 0
	recursive := slices.ContainsFunc(words, func(w string) bool {
		return w == "-r" || w == "--recursive" || w == "--workspaces" || w == "-ws" || w == "--ws"
	})
	n.all = filtered || recursive || name == "lerna" || name == "turbo" || name == "nx" || name == "wsrun" || name == "rush"
	if name == "pnpm" {
		n.workspaces = nil // there -w is the root
		n.all = n.all || slices.Contains(words, "-w") || slices.Contains(words, "--workspace-root")
	}
	if len(ops) == 0 {
		if name == "yarn" {
			n.scripts = slices.Clone(installScripts)
		}
		return
	}
	verb, args := ops[0], ops[1:]
	switch name {
	case "turbo", "wsrun", "lerna", "rush":
		n.scripts = ops
		if verb == "run" || verb == "exec" {
			n.scripts = args
		}
		return
	case "nx":
		n.scripts = optionValues(words, []string{"-t", "--target", "--targets"})
		if verb == "run" && len(args) > 0 {
			_, verb, _ = strings.Cut(args[0], ":")
		}
		n.scripts = append(n.scripts, verb)
		return
	}
	if name == "yarn" && verb == "workspace" && len(args) > 1 {
		n.workspaces, verb, args = append(n.workspaces, args[0]), args[1], args[2:]
	}
	if name == "yarn" && verb == "workspaces" {
		n.all = true
		if i := slices.Index(args, "run"); i >= 0 {
			args = args[i:]
		}
		if len(args) == 0 {
			return
		}
		verb, args = args[0], args[1:]
	}
	n.verb(name, verb, args, rest)
}

func (n *nodeRun) verb(name, verb string, args, rest []string) {
	switch verb {
	case "run", "run-script", "rum", "urn":
		if len(args) > 0 {
			n.scripts = append(n.scripts, args[0])
		}
	case "test", "t", "tst":
		if name != "bun" {
			n.scripts = append(n.scripts, "test")
		}
	case "start", "stop", "restart":
		n.scripts = append(n.scripts, verb)
	case "exec", "x", "dlx":
		n.exec = append(slices.Clone(args), rest...)
	case "ci", "install", "i", "clean-install", "install-test", "it", "cit", "add":
		n.scripts = append(n.scripts, installScripts...)
		if strings.HasSuffix(verb, "t") && verb != "clean-install" {
			n.scripts = append(n.scripts, "test")
		}
	default:
		if name != "npm" { // yarn x, pnpm x and bun x are a script, or a program
			n.scripts = append(n.scripts, verb)
			n.exec = append([]string{verb}, args...)
		}
	}
}
