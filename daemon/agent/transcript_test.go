package agent_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/agent"
)

func TestTranscriptsAreWhereTheProgramWritesThem(t *testing.T) {
	t.Parallel()
	const id = "6f1c0a52-8d3e-4b7a-9c15-2e4f60718293"
	tests := []struct {
		name, profile, session string
		env                    []string
		want                   []string
	}{
		{"below HOME", "claude", id, []string{"HOME=/home/me"}, []string{"/home/me/.claude/projects/-w-my-app-2/" + id + ".jsonl"}},
		{"or where it was told to", "claude", id, []string{"HOME=/home/me", "CLAUDE_CONFIG_DIR=/x"}, []string{"/x/projects/-w-my-app-2/" + id + ".jsonl"}},
		{"no session, no transcript", "claude", "", []string{"HOME=/home/me"}, nil},
		{"a session that is no id names no file", "claude", "../../etc", []string{"HOME=/home/me"}, nil},
		{"no HOME, no place", "claude", id, nil, nil},
		{"others name it themselves", "codex", id, []string{"HOME=/home/me"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if d := cmp.Diff(tt.want, agent.Transcripts(tt.profile, tt.env, "/w/my.app_2", tt.session)); d != "" {
				t.Error(d)
			}
		})
	}
}
