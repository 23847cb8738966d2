package events

import "testing"

func TestWhatCannotBeInAnEventIsNamed(t *testing.T) {
	t.Parallel()
	const hash = "0ebb429fa86d481c2630fac53db1c91cffed5d4d41d1021c179444eb67e7ee0b"
	for _, tt := range []struct {
		data Data
		want string
	}{
		{RunStarted{Task: hash, Project: "0123456789abcdef", Tree: hash}, ""},
		{RunStarted{}, ""},
		{RunStarted{Project: "../../.."}, `"../../.." is not a workspace`},
		{RunStarted{From: "-rf"}, `"-rf" is not a workspace`},
		{RunStarted{Tree: "--output=/etc/passwd"}, `"--output=/etc/passwd" is not a hash`},
		{RunHalted{Files: "../x"}, `"../x" is not a hash`},
		{RunEnded{Gate: "ok; rm -rf ~"}, `"ok; rm -rf ~" is not a valid name`},
		{GatesJudged{Results: []GateResult{{Gate: "fine"}, {Excerpt: "\x1b"}}}, `"\x1b" is not a hash`},
		{Unknown{Type: "x.v1"}, ""},
		{nil, ""},
	} {
		if got := Strange(tt.data); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.data, got, tt.want)
		}
	}
}
