package stream

import (
	"strings"
	"testing"
)

func TestNoNumberOfAProgramGivesBackWhatWasUsed(t *testing.T) {
	t.Parallel()
	message := func(id, usage string) string {
		return `{"type":"assistant","message":{"id":"` + id + `","usage":{"input_tokens":7,"output_tokens":` + usage + `}}}` + "\n"
	}
	huge := "9007199254740992"
	for name, c := range map[string]struct {
		format Format
		text   string
		least  int64
	}{
		"a negative number":                    {Claude, message("a", "5") + message("b", "-9"), 19},
		"a message that shrinks":               {Claude, message("a", "5000") + message("a", "0"), 5007},
		"thousands of huge numbers":            {Claude, message("a", "5") + strings.Repeat(message("", huge), 3000), 1e12},
		"a number beyond all":                  {Claude, message("a", "1e999"), 1e12},
		"a number of many digits":              {Claude, message("a", strings.Repeat("9", 5000)), 1e12},
		"a total that is huge":                 {Codex, `{"type":"turn.completed","usage":{"input_tokens":` + huge + `}}`, 1e12},
		"a huge number of any command":         {Text, protocolMark + ` {"v":1,"type":"usage","input_tokens":1e300}`, 1e12},
		"steps of which each is huge":          {Opencode, strings.Repeat(`{"type":"step_finish","part":{"cost":`+huge+`,"tokens":{"input":`+huge+`}}}`+"\n", 3000), 1e12},
		"a cost that is no 64 bit of millions": {Claude, message("a", "5") + `{"type":"result","subtype":"success","total_cost_usd":` + huge + `}`, 12},
	} {
		s := Read(c.format, []byte(c.text))
		if u := s.Usage; u.Input < 0 || u.Output < 0 || u.Input+u.CacheRead+u.CacheWrite+u.Output < c.least {
			t.Errorf("%s: used %+v, want at least %d", name, u, c.least)
		}
		if costs := strings.Contains(c.text, "cost"); s.MicroUSD < 0 || costs && s.MicroUSD < 1e15 {
			t.Errorf("%s: cost %d", name, s.MicroUSD)
		}
	}
}
