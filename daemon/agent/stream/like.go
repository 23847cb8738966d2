package stream

// Programs that print a stream as another one does, with less or more in it.
const (
	Qwen   Format = "qwen"   // qwen -o stream-json
	Amp    Format = "amp"    // amp -x --stream-json
	Auggie Format = "auggie" // auggie --print --output-format json
	Kilo   Format = "kilo"   // kilo run --format json
)

var (
	qwenForm = form{
		format: Qwen, line: (*Reader).claude, model: true, totals: true, atEnd: true,
		like: true, marks: "qwen_code_version permission_mode", types: "system assistant user result",
	}
	ampForm    = form{format: Amp, line: (*Reader).claude, like: true, atEnd: true, marks: "agent_mode thread_id", types: "system assistant user result"}
	auggieForm = form{format: Auggie, line: (*Reader).claude, like: true, types: "result"}
	kiloForm   = form{format: Kilo, line: (*Reader).opencode, steps: true, like: true, types: "step_start step_finish tool_use text error"}
)
