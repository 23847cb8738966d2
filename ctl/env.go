package ctl

import (
	"slices"
	"strings"

	"autopilot/ctl/render"
	"autopilot/projections/marker"
)

// The environment that a run gets. The list is explained by help environment.
var (
	envNames = []string{
		"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TERM", "TZ", "TMPDIR", "EDITOR", "VISUAL", "PAGER",
		"COLORTERM", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy",
		"no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR", "VIRTUAL_ENV", "JAVA_HOME",
	}
	envPrefixes = []string{
		"LC_", "XDG_", "GO", "NODE", "NPM_", "npm_config_", "NVM_", "PYTHON", "PYENV_", "UV_", "PIP_", "CONDA_",
		"CARGO", "RUST", "MAVEN_", "GRADLE_", "DOTNET_", "ASDF_", "MISE_",
	}
	envModels = []string{
		"ANTHROPIC_", "CLAUDE_", "OPENAI_", "CODEX_", "GEMINI_", "GOOGLE_", "AWS_", "AZURE_", "OPENCODE_",
		"OPENROUTER_", "MISTRAL_", "OLLAMA_", "VERTEX_REGION_", "CLOUD_ML_",
	}
)

const envOwn = "AUTOPILOT_"

// sendable says whether a variable goes with a run without being asked for.
func sendable(name string) bool {
	has := func(prefixes []string) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
	}
	switch {
	case strings.HasPrefix(name, envOwn), marker.Session(name):
		return false
	case has(envModels), strings.HasSuffix(name, "_API_KEY"):
		return true
	case strings.HasSuffix(name, "TOKEN"):
		return false
	}
	return slices.Contains(envNames, name) || has(envPrefixes)
}

// runEnv is the environment that is sent with a run, sorted; extra are values
// of --env, NAME or NAME=VALUE.
func runEnv(environ, extra []string) ([]string, error) {
	values := map[string]string{}
	all := map[string]string{}
	for _, e := range environ {
		name, v, ok := strings.Cut(e, "=")
		if !ok || name == "" {
			continue
		}
		all[name] = v
		if sendable(name) {
			values[name] = v
		}
	}
	for _, e := range extra {
		name, v, given := strings.Cut(e, "=")
		switch {
		case name == "":
			return nil, render.BadEnv(e, "has no name")
		case strings.HasPrefix(name, envOwn):
			return nil, render.BadEnv(e, "names a variable that autopilot sets itself")
		case marker.Session(name):
			return nil, render.BadEnv(e, "marks the session of an agent program; a new one would take itself for its child")
		case marker.Repository(name):
			return nil, render.BadEnv(e, "points git at another repository than the one that the run works in")
		case !given:
			if v, given = all[name]; !given {
				return nil, render.BadEnv(e, "is not set here")
			}
		}
		values[name] = v
	}
	env := make([]string, 0, len(values))
	for name, v := range values {
		env = append(env, name+"="+v)
	}
	slices.Sort(env)
	return env, nil
}
