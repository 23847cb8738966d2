package events_test

import (
	"testing"

	"github.com/go-json-experiment/json"

	"autopilot/events"
)

func TestAMistakeInJSONIsSaidWithoutTypesOfGo(t *testing.T) {
	type row struct {
		Ref string `json:"evidence_ref"`
	}
	type form struct {
		N    int    `json:"n"`
		Text string `json:"text"`
		Rows []row  `json:"rows,omitzero"`
		Deep *row   `json:"deep"`
	}
	for text, want := range map[string]string{
		`{"n":"3"}`:              "/n is a text, want a whole number",
		`{"n":1.5}`:              "/n is 1.5, want a whole number",
		`{"n":1e999}`:            "/n is 1e999, want a whole number",
		`{"text":[1]}`:           "/text is a list, want a text",
		`{"rows":{}}`:            "/rows is an object, want a list",
		`{"rows":[{},7]}`:        "/rows/1 is a number, want an object",
		`{"deep":true}`:          "/deep is true or false, want an object",
		`[]`:                     "the input is a list, want an object",
		`{"x":1}`:                `unknown member "x"; allowed: n, text, rows, deep`,
		`{"rows":[{"ref":"a"}]}`: `unknown member "ref" at /rows/0; allowed: evidence_ref`,
		`{"n":1,"n":2}`:          `member "n" appears twice`,
		`{"deep":{"b":1,"b":2}}`: `unknown member "b" at /deep; allowed: evidence_ref`,
		`{"n":`:                  "not valid JSON at /n: it ends too early",
		`x`:                      "not valid JSON: invalid character 'x' at start of value",
		`{"n":1} 2`:              "not valid JSON: invalid character '2' after top-level value",
		``:                       "not valid JSON: it ends too early",
		"{\"text\":\"\xff\"}":    "not valid JSON at /text: invalid UTF-8",
		`{"rows":[{"evidence_ref":"a","evidence_ref":"b"}]}`: `member "evidence_ref" appears twice at /rows/0`,
	} {
		var v form
		err := json.Unmarshal([]byte(text), &v, json.RejectUnknownMembers(true))
		if err == nil {
			t.Fatalf("%s is read", text)
		}
		if got := events.JSONMistake(err); got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
}
