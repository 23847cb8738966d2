package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"autopilot/daemon/regular"
	"autopilot/events"
)

// always can be written in every mode: without these hardly a program works.
const always = `/tmp /var/tmp /proc
	/dev/null /dev/zero /dev/full /dev/random /dev/urandom /dev/tty /dev/ptmx /dev/pts /dev/shm /dev/mqueue`

// toolchains are the folders in which tools keep what they fetch and build,
// below HOME, and the variables that move them.
const (
	toolchains = `.cache .npm .local/share/pnpm .pnpm-store .yarn .bun .deno .nvm .volta .fnm .node-gyp
		go .config/go .cargo .rustup .pyenv .virtualenvs .local/share/virtualenvs .local/share/virtualenv .local/share/uv .conda
		.m2 .gradle .ivy2 .sbt .coursier .kotlin .android .gem .bundle .rbenv .composer .nuget .dotnet .local/share/NuGet
		.stack .cabal .ghcup .hex .mix .pub-cache .asdf .local/share/mise .sdkman .terraform.d .ccache .cmake`
	toolchainNames = `XDG_CACHE_HOME GOPATH GOMODCACHE GOCACHE GOBIN GOTMPDIR CARGO_HOME RUSTUP_HOME CARGO_TARGET_DIR PYENV_ROOT PIP_CACHE_DIR UV_CACHE_DIR
		NVM_DIR NPM_CONFIG_CACHE npm_config_cache YARN_CACHE_FOLDER PNPM_HOME BUN_INSTALL DENO_DIR VOLTA_HOME FNM_DIR
		GRADLE_USER_HOME M2_HOME GEM_HOME BUNDLE_PATH COMPOSER_HOME NUGET_PACKAGES ASDF_DATA_DIR MISE_DATA_DIR SDKMAN_DIR
		STACK_ROOT CABAL_DIR HEX_HOME MIX_HOME PUB_CACHE CCACHE_DIR VIRTUAL_ENV CONDA_PREFIX`
)

// firsts are folders that a tool makes when it is first used. It could not:
// nothing can be made in HOME.
var firsts = []struct{ tool, below string }{{"", ".cache"}, {"go", "go"}, {"npm", ".npm"}, {"cargo", ".cargo"}}

// first makes those of the tools that the effect has.
func (p *planner) first() {
	for _, f := range firsts {
		if f.tool == "" || p.has(f.tool) {
			_ = os.MkdirAll(p.places(f.below, "")[0], 0o700) // without it the tool says what is missing
		}
	}
}

func (p *planner) has(tool string) bool {
	return slices.ContainsFunc(filepath.SplitList(p.env["PATH"]), func(dir string) bool {
		info, err := os.Stat(filepath.Join(dir, tool))
		return err == nil && info.Mode().IsRegular()
	})
}

// writes restricts them to what the mode needs.
func (p *planner) writes() {
	p.plan.Strict = true
	w := strings.Fields(always)
	w = append(w, p.env["TMPDIR"])
	w = append(w, p.Show...)
	w = append(w, p.Write...)
	w = append(w, p.agentHomes()...)
	if p.Mode == events.SandboxWorkspace || p.Gate {
		p.first()
		w = append(w, p.Work)
		w = append(w, gitDirs(p.Work)...)
		w = append(w, p.places(toolchains, toolchainNames)...)
		w = append(w, p.allowedPaths()...)
	}
	for _, path := range w {
		if filepath.IsAbs(path) {
			p.plan.Write = append(p.plan.Write, path)
		}
	}
}

// agentHomes are the folders of the agent; of a command that is no known agent
// those of all, as it may start one. Gates have none.
func (p *planner) agentHomes() []string {
	if p.Gate {
		return nil
	}
	all := events.AgentPrograms()
	if i := slices.IndexFunc(all, func(a events.AgentProgram) bool { return a.Name == p.Agent }); i >= 0 {
		all = all[i : i+1]
	}
	var out []string
	for _, a := range all {
		out = append(out, p.places(a.Homes, a.HomeEnv)...)
	}
	return out
}

// places are folders below the HOME of the effect and in variables of its own.
func (p *planner) places(below, names string) []string {
	var out []string
	home := p.env["HOME"]
	if !filepath.IsAbs(home) {
		home = p.Home
	}
	for _, name := range strings.Fields(below) {
		out = append(out, filepath.Join(home, name))
	}
	for _, name := range strings.Fields(names) {
		out = append(out, filepath.SplitList(p.env[name])...)
	}
	return out
}

// maxGitFile bounds one of git's files that hold a path, in bytes.
const maxGitFile = 64 << 10

// gitDirs are the folders of git outside of a linked work tree. What the file
// says that leads there is believed only if git's own file leads back.
func gitDirs(work string) []string {
	dot := filepath.Join(work, ".git")
	text, err := regular.Read(dot, maxGitFile)
	dir, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
	if err != nil || !ok {
		return nil
	}
	dir = below(work, dir)
	back, err := regular.Read(filepath.Join(dir, "gitdir"), maxGitFile)
	if err != nil || real(strings.TrimSpace(string(back))) != real(dot) {
		return nil
	}
	common, err := regular.Read(filepath.Join(dir, "commondir"), maxGitFile)
	if err != nil {
		return nil
	}
	return []string{dir, below(dir, strings.TrimSpace(string(common)))}
}

// below is a path that may be relative to dir.
func below(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}
