package realtest

import (
	"slices"

	"autopilot/daemon/agent/outcome"
)

// key is what the programs show to the provider.
const key = "key-of-nobody"

// program is an agent program, and how it is led to the provider on loopback.
// What else it is called with is the business of its profile.
type program struct {
	name, pkg string // pkg is that of npm
	env       func(url string) []string
	files     func(url string) map[string]string // of the home
	// differs is where a case is not for it as for the others, and why.
	differs map[string]func(*scenario)
	endless map[string]bool // cases in which it tries again for ever
	more    []scenario
	plays   []string // the cases that it is put to; empty is all
	chat    []string // its words as a chat that runs hooks, before the prompt; empty if it has none
}

func programs() []program {
	return []program{claude(), codex(), gemini(), opencode(), pi(), qwen(), copilot()}
}

// pi ends with exit 0 whatever happened.
func pi() program {
	return program{
		name: "pi", pkg: "@mariozechner/pi-coding-agent",
		env:   func(string) []string { return []string{"PI_OFFLINE=1"} },
		plays: []string{caseText, caseEdit, caseLogin, caseLength},
		files: func(url string) map[string]string {
			return map[string]string{
				".pi/agent/settings.json": encoded(m{"defaultProvider": "loopback", "defaultModel": "model-1"}),
				".pi/agent/models.json": encoded(m{"providers": m{"loopback": m{
					"baseUrl": url, "api": "anthropic-messages", "apiKey": key,
					"models": []m{{
						"id": "model-1", "name": "model-1", "reasoning": false, "input": []string{"text"}, "contextWindow": 200000, "maxTokens": 8000,
						"cost": m{"input": 3, "output": 15, "cacheRead": 0.3, "cacheWrite": 3.75},
					}},
				}}}),
			}
		},
	}
}

// qwen tries a refused login again for minutes. After an answer without a tool it asks
// its model once more, which its totals count.
func qwen() program {
	return program{
		name: "qwen", pkg: "@qwen-code/qwen-code",
		env: func(url string) []string {
			return []string{"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=" + key, "ANTHROPIC_MODEL=model-1"}
		},
		plays:   []string{caseText, caseEdit},
		differs: map[string]func(*scenario){caseText: func(s *scenario) { s.want.answers = 2 }},
		files: func(string) map[string]string {
			return map[string]string{".qwen/settings.json": encoded(m{
				"security": m{"auth": m{"selectedType": "anthropic"}}, "model": m{"name": "model-1"},
				"general": m{"disableAutoUpdate": true}, "privacy": m{"usageStatisticsEnabled": false},
			})}
		},
	}
}

// copilot does not tell what a provider of the user's own has counted.
func copilot() program {
	return program{
		name: "copilot", pkg: "@github/copilot",
		env: func(url string) []string {
			return []string{
				"COPILOT_PROVIDER_TYPE=anthropic", "COPILOT_PROVIDER_BASE_URL=" + url, "COPILOT_PROVIDER_API_KEY=" + key, "COPILOT_MODEL=model-1",
			}
		},
		plays:   []string{caseText, caseLogin},
		differs: map[string]func(*scenario){caseText: func(s *scenario) { s.want.answers = 0 }},
	}
}

// claude tries again ten times, and as often as CLAUDE_CODE_MAX_RETRIES says;
// not at all where the provider says to wait for long. It reads the reset of a
// limit only with a subscription, never with a key.
func claude() program {
	return program{
		name: "claude", pkg: "@anthropic-ai/claude-code",
		env: func(url string) []string {
			return []string{
				"ANTHROPIC_BASE_URL=" + url, "CLAUDE_CODE_OAUTH_TOKEN=" + key,
				"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "CLAUDE_CODE_MAX_RETRIES=1",
			}
		},
		chat: []string{"-p", "--permission-mode", "acceptEdits", "--allowedTools", "Bash", "--"},
		more: []scenario{{
			name: caseKey, script: []step{{refuse: limited}},
			want: want{outcome: outcome.RateLimited, session: true},
		}, {name: caseOmx, script: omxScript()}},
	}
}

// codex tries again as often as the configuration of its provider says. Its
// usage is that of the whole session: after a resume also that of the process
// that was killed.
func codex() program {
	return program{
		name: "codex", pkg: "@openai/codex",
		env: func(string) []string { return []string{"CODEX_API_KEY=" + key} },
		files: func(url string) map[string]string {
			return map[string]string{".codex/config.toml": `model = "gpt-test"
model_provider = "loopback"

[model_providers.loopback]
name = "loopback"
base_url = "` + url + `/v1"
env_key = "CODEX_API_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1

[analytics]
enabled = false
`}
		},
		chat: []string{"exec", "--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust", "--"},
		differs: map[string]func(*scenario){
			caseResume: func(s *scenario) { s.want.answers = 2 },
		},
	}
}

// gemini tries again as often as general.maxAttempts says, and never when a
// quota of the day is used up or a stream was cut.
func gemini() program {
	return program{
		name: "gemini", pkg: "@google/gemini-cli",
		chat: []string{"--approval-mode", "yolo", "--skip-trust", "-p"},
		env: func(url string) []string {
			// With a model of its own choice it first asks another one which to take.
			return []string{"GOOGLE_GEMINI_BASE_URL=" + url, "GEMINI_API_KEY=" + key, "GEMINI_MODEL=gemini-2.5-pro"}
		},
		files: func(string) map[string]string {
			return map[string]string{".gemini/settings.json": encoded(m{
				"general":   m{"maxAttempts": 2, "enableAutoUpdate": false},
				"privacy":   m{"usageStatisticsEnabled": false},
				"telemetry": m{"enabled": false},
				"security":  m{"auth": m{"selectedType": "gemini-api-key"}},
			})}
		},
	}
}

// opencode tries again for ever at a limit, under load and when a stream is cut,
// and has no switch for that: its supervisor has to end it. It never says when a
// limit ends.
func opencode() program {
	return program{
		name: "opencode", pkg: "opencode-ai",
		env: func(string) []string {
			return []string{"OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_DEFAULT_PLUGINS=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1"}
		},
		files: func(url string) map[string]string {
			return map[string]string{".config/opencode/opencode.json": encoded(m{
				"autoupdate": false, "share": "disabled",
				"model": "loopback/model-1", "small_model": "loopback/model-1",
				"provider": m{"loopback": m{
					"npm": "@ai-sdk/anthropic", "name": "loopback",
					"options": m{"baseURL": url + "/v1", "apiKey": key},
					"models": m{"model-1": m{
						"name": "model-1", "tool_call": true,
						"cost":  m{"input": 3, "output": 15, "cache_read": 0.3, "cache_write": 3.75},
						"limit": m{"context": 200000, "output": 8000},
					}},
				}},
			})}
		},
		differs: map[string]func(*scenario){
			caseLimit: func(s *scenario) { s.want.reset = false },
		},
		endless: map[string]bool{caseLimit: true, caseLoad: true, caseCut: true},
	}
}

// cases are those of the program.
func (p program) cases() []scenario {
	list := append(scenarios(), p.more...)
	if len(p.chat) > 0 {
		list = append(list, scenario{name: caseHooks})
	}
	if len(p.plays) > 0 {
		list = slices.DeleteFunc(list, func(s scenario) bool { return !slices.Contains(p.plays, s.name) })
	}
	for i := range list {
		if change := p.differs[list[i].name]; change != nil {
			change(&list[i])
		}
	}
	return list
}
