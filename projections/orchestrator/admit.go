package orchestrator

import "fmt"

// Admission is what becomes of a selected mode.
type Admission struct {
	Run    bool // the session begins
	Manual bool // a person begins it: nothing has run yet, so this is no switch
	Kill   Kill
	Detail string // of what does not run
}

// Admit says whether a selected mode runs without a person: its confidence reaches the
// threshold. The first time that it does not, the run is handed to a person; later it
// ends. A selector that failed ends it at once. mode is empty where the selector named
// none, and an unusable confidence counts as 0.
//
// Source: session-orchestrator, seeds 2.1.3 rows 5 to 8.
func Admit(mode string, confidence, threshold float64, sessions int, failed string) Admission {
	if failed != "" {
		k := Kill{LowConfidence, "modeSelector threw: " + failed}
		return Admission{Kill: k, Detail: k.Detail}
	}
	if !known(confidence) {
		confidence = 0
	}
	if mode != "" && confidence >= threshold {
		return Admission{Run: true}
	}
	if mode == "" {
		mode = "none"
	}
	detail := fmt.Sprintf("mode=%s, confidence=%s < threshold=%s", mode, number(confidence), number(threshold))
	if mode == "none" && confidence >= threshold {
		detail = "no mode was selected"
	}
	if sessions == 0 {
		return Admission{Manual: true, Detail: detail}
	}
	return Admission{Kill: Kill{LowConfidence, detail}, Detail: detail}
}
