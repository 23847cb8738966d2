package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const value = `hunter2/+é"\&<x> y9Q`

var known = []string{"DB_PASSWORD=" + value, "PLAIN_TOKEN=f47Kq9-zz8Wd1mX"}

// split runs a text through a Writer in pieces that end at the given places.
func split(secrets []string, text string, cuts ...int) (string, int) {
	var out strings.Builder
	w := New(secrets, func(b []byte) { out.Write(b) })
	from := 0
	for _, c := range append(cuts, len(text)) {
		_, _ = w.Write([]byte(text[from:c]))
		from = c
	}
	w.Close()
	return out.String(), w.Count()
}

func everyByte(text string) []int {
	cuts := make([]int, len(text))
	for i := range cuts {
		cuts[i] = i
	}
	return cuts
}

func jsonText(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return strings.Trim(string(b), `"`)
}

func lines(s string, n int, end string) string {
	var out []string
	for len(s) > n {
		out, s = append(out, s[:n]), s[n:]
	}
	return strings.Join(append(out, s), end)
}

// armored is a private key that opens nothing.
var armored = "-----BEGIN RSA PRIVATE KEY-----\n" + strings.Repeat("MIIEowIBAAKCAQEA1x2y3z4A5b6C7d8E9f0G1h2I3j4K5l6M7n8O9p0Q1r2S3t4\n", 5) +
	"abcd==\n-----END RSA PRIVATE KEY-----"

var jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"

// printed are texts with a secret and what becomes of them.
func printed() map[string][2]string {
	const mark = "[redacted DB_PASSWORD]"
	encoded := base64.StdEncoding.EncodeToString([]byte("abcdefghijklmnopqrstuvwxyzabcdefghijklmn" + value + value + value + value))
	tests := map[string][2]string{
		"as it is":                  {"a " + value + " b", "a " + mark + " b"},
		"twice":                     {value + value, mark + mark},
		"hex":                       {hex.EncodeToString([]byte(value)) + "\n", mark + "\n"},
		"HEX":                       {strings.ToUpper(hex.EncodeToString([]byte(value))), mark},
		"hex in lines":              {lines(hex.EncodeToString([]byte(value)), 30, "\n"), mark},
		"URL query":                 {"?a=" + url.QueryEscape(value) + "&b", "?a=" + mark + "&b"},
		"URL path":                  {"/" + url.PathEscape(value) + "/b", "/" + mark + "/b"},
		"JSON":                      {`{"a":"` + jsonText(value) + `"}`, `{"a":"` + mark + `"}`},
		"JSON in JSON":              {`{"a":"` + jsonText(jsonText(value)) + `"}`, `{"a":"` + mark + `"}`},
		"JSON that is only ASCII":   {`"hunter2/+\u00e9\"\\&<x> y9Q"`, `"` + mark + `"`},
		"a beginning of it":         {value[:8] + "|" + value[:9], value[:8] + "|" + value[:9]},
		"a beginning, then all":     {value[:9] + value, value[:9] + mark},
		"cut at the end":            {"x " + value[:10], "x " + value[:10]},
		"base64 in lines":           {lines(encoded, 76, "\n"), ""},
		"base64 in lines, CR LF":    {lines(encoded, 20, "\r\n"), ""},
		"base64 in lines, JSON":     {lines(encoded, 10, `\n`), ""},
		"anthropic":                 {"key: sk-ant-api03-Abc123def456Ghi789-_x.", "key: [redacted]."},
		"openai":                    {"sk-proj-abcDEF123_ghiJKL456-mno", "[redacted]"},
		"openai, older":             {"'sk-abcdefghijklmnopqrstuvwxyz012345ABCDEF'", "'[redacted]'"},
		"github":                    {"https://ghp_abcdefghijklmnopqrstuvwxyz0123456789@host", "https://[redacted]@host"},
		"github, fine-grained":      {"github_pat_11ABCDEFG0abcdefghijkl_mnopqrstuvwxyzABCDEFGH", "[redacted]"},
		"aws":                       {"AKIAIOSFODNN7EXAMPLE,", "[redacted],"},
		"aws, of a session":         {"ASIAIOSFODNN7EXAMPLE\n", "[redacted]\n"},
		"slack":                     {"xoxb-123456789012-abcdefghij", "[redacted]"},
		"google":                    {"AIzaSyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q", "[redacted]"},
		"gitlab":                    {"glpat-abcDEF123-ghiJKL4567", "[redacted]"},
		"npm":                       {"npm_abcdefghijklmnopqrstuvwxyz0123456789", "[redacted]"},
		"hugging face":              {"hf_abcdefghijKLMNOPqrstuvwxyz01234567", "[redacted]"},
		"signed token":              {"t=" + jwt + ";", "t=[redacted];"},
		"private key":               {"a\n" + armored + "\nb", "a\n[redacted]\nb"},
		"private key, indented":     {strings.ReplaceAll(armored, "\n", "\n        ") + "\nb", "[redacted]\nb"},
		"private key, in JSON":      {`"` + strings.ReplaceAll(armored, "\n", `\n`) + `"}`, `"[redacted]"}`},
		"private key, cut":          {armored[:120] + `"}`, `[redacted]"}`},
		"private key, locked":       {strings.Replace(armored, "Y-----\n", "Y-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES,AB\n\n", 1) + "!", "[redacted]!"},
		"header":                    {"Authorization: Bearer abcdefgh1234\r\n", "Authorization: Bearer [redacted]\r\n"},
		"header in JSON":            {`{"authorization": "Basic dXNlcjpwYXNzd29yZA=="}`, `{"authorization": "Basic [redacted]"}`},
		"header in escaped JSON":    {`{\"Authorization\":\"token abcdefgh1234\"}`, `{\"Authorization\":\"token [redacted]\"}`},
		"bearer without a header":   {"Bearer abcdefghij0123456789xyz", "Bearer [redacted]"},
		"header of a known value":   {"Authorization: Bearer f47Kq9-zz8Wd1mX", "Authorization: Bearer [redacted]"},
		"after a line break, JSON":  {`a\nghp_abcdefghijklmnopqrstuvwxyz0123456789\nb`, `a\n[redacted]\nb`},
		"after a colour":            {"\x1b[1;32mghp_abcdefghijklmnopqrstuvwxyz0123456789\x1b[0m", "\x1b[1;32m[redacted]\x1b[0m"},
		"another known value":       {"-f47Kq9-zz8Wd1mX-", "-[redacted PLAIN_TOKEN]-"},
		"known, then a key's shape": {value + " sk-ant-api03-Abc123def456Ghi789", mark + " [redacted]"},
	}
	for offset := range 4 {
		for name, code := range map[string]*base64.Encoding{"base64": base64.StdEncoding, "URL base64": base64.URLEncoding} {
			tests[fmt.Sprintf("%s at %d", name, offset)] = [2]string{code.EncodeToString([]byte("zzzz"[:offset] + value + "zz")), ""}
		}
	}
	return tests
}

func TestSecretsAreReplacedInAllForms(t *testing.T) {
	t.Parallel()
	for name, tt := range printed() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := Text(known, tt[0])
			if tt[1] == "" { // of base64 the ends stay
				if !strings.Contains(got, "[redacted DB_PASSWORD]") || len(strings.ReplaceAll(got, "[redacted DB_PASSWORD]", "")) > len(tt[0])-20 {
					t.Errorf("%q became %q", tt[0], got)
				}
			} else if diff := cmp.Diff(tt[1], got); diff != "" {
				t.Error(diff)
			}
			if again := Text(known, got); again != got {
				t.Errorf("a second time it becomes %q", again)
			}
		})
	}
}

// B.8 print-secret-split
func TestHowAStreamIsSplitChangesNothing(t *testing.T) {
	t.Parallel()
	for name, tt := range printed() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := "before " + tt[0] + " after"
			want, n := split(known, text)
			for i := range text {
				if got, m := split(known, text, i); got != want || m != n {
					t.Fatalf("cut at %d: %q (%d), want %q (%d)", i, got, m, want, n)
				}
			}
			if got, m := split(known, text, everyByte(text)...); got != want || m != n {
				t.Errorf("byte by byte: %q (%d), want %q (%d)", got, m, want, n)
			}
		})
	}
}

func TestTextAboutKeysIsLeftAlone(t *testing.T) {
	t.Parallel()
	image := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("\x89PNG\r\n\x1a\n\x00\x01\x02 eyJ AKIA", 500)))
	for _, text := range []string{
		"commit d10fe709a82d2c79de9c1de7242ef7e0b39fa79c\nsha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
		"f81d4fae-7dec-11d0-a765-00a0c91e6bf6 01J0ABCDEFGHJKMNPQRSTVWXYZ",
		"data:image/png;base64," + image, lines(image, 76, "\n"),
		"sk- keys begin with sk-, sk-ant- or sk-proj-; sk-loading-spinner-container-element-1 is a class",
		"set sk-ant-your-key-here or sk-ant-xxxxxxxxxxxxxxxxxxxxxxxx or sk-ant-...",
		"task-abcdefghijklmnopqrstuvwxyz012345ABCDEF risk-0123456789012345678901234567890123",
		"ghp_ tokens have 36 characters: ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx, GITHUB_TOKEN=ghp_...",
		"through github_pat_YOUR_TOKEN; AKIA and ASIA ids; ASIAPACIFICREGIONALHQ; npm_config_registry hf_hub_download",
		"glpat-xxxxxxxxxxxxxxxxxxxx xoxb-your-token-here AIza is how they begin; AIzaSyShort",
		"Authorization: Bearer $TOKEN", "Authorization: Bearer <token>", "curl -H 'Authorization: Bearer ${API_KEY}'",
		"Authorization: Bearer authentication is needed, Basic auth is not", "Bearer TokenAuthenticationProviderFactory bearer of news",
		"grep -r -e '-----BEGIN RSA PRIVATE KEY-----' . finds them", "-----BEGIN PRIVATE KEY----- and -----END PRIVATE KEY-----",
		"-----BEGIN PRIVATE KEY----- is what such a key begins with and it has words after it that are short",
		"-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBa\n-----END CERTIFICATE-----",
		strings.Repeat("-", 300), "| --- | --- |\n--- a/x\n+++ b/x\n@@ -1 +1 @@",
		"eyJ is how a JWT begins: eyJhbGciOiJIUzI1NiJ9 alone is a header", "eyJhbGciOiJIUzI1NiJ9.notapayload.sig",
		"h1:eyJrZXkiOiJ2YWx1ZSJ9abcdef=", "os.Getenv(\"API_KEY\"), process.env.OPENAI_API_KEY", "password: hunter2", "",
	} {
		if got := Text(known, text); got != text {
			t.Errorf("%.80q became %.200q", text, got)
		}
		if f := Find(known, text); len(f) > 0 {
			t.Errorf("%.80q: %+v", text, f)
		}
	}
}

func TestOnlyWhatCanBeASecretIsHeldBack(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"building...\n":           "building...\n",
		"password? ":              "password? ",
		"ok " + value[:1]:         "ok ",
		"ok " + value[:9]:         "ok ",
		"ok " + value[:9] + "!":   "ok " + value[:9] + "!",
		"the sk-ant-api03-Ab":     "the ",
		"the sk-ant-api03 ":       "the sk-ant-api03 ",
		"a\n-----BEGIN RSA PRIV":  "a\n",
		"a\n-----BEGIN CERTIFICA": "a\n",
		"------":                  "-",
	} {
		var out strings.Builder
		w := New(known, func(b []byte) { out.Write(b) })
		_, _ = w.Write([]byte(text))
		if out.String() != want {
			t.Errorf("of %q %q was passed on, want %q", text, out.String(), want)
		}
		w.Close()
		if out.String() != text || w.Count() != 0 {
			t.Errorf("%q ended as %q, with %d replaced", text, out.String(), w.Count())
		}
	}
}

func TestAKeyWithoutEndNeedsNoMemory(t *testing.T) {
	t.Parallel()
	for start, bound := range map[string]int{
		"sk-ant-api03-Abc123def456Ghi789": 0, jwt: 0, "Bearer abcdefghij0123456789": 0, armored[:200]: 8 << 20,
		"eyJ" + strings.Repeat("a", 40): 8 << 20, "-----BEGIN ": 8 << 20,
	} {
		passed := 0
		w := New(known, func(b []byte) { passed += len(b) })
		_, _ = w.Write([]byte(start))
		piece := []byte(strings.Repeat("a", 32<<10))
		for range 256 {
			_, _ = w.Write(piece)
			if cap(w.held) > 256<<10 {
				t.Fatalf("%.20q: %d bytes are held", start, cap(w.held))
			}
		}
		if w.Close(); passed > bound+200 {
			t.Errorf("%.20q: %d bytes were passed on", start, passed)
		}
	}
}

func TestOneValueThatBeginsAnotherIsTheShorterOnlyWhereItEnds(t *testing.T) {
	t.Parallel()
	secrets := []string{"A_KEY=abcdefgh1", "B_KEY=abcdefgh1234", "C_KEY=gh1234567890"}
	for text, want := range map[string]string{
		"abcdefgh1234":       "[redacted B_KEY]",
		"abcdefgh12 ":        "[redacted A_KEY]2 ",
		"abcdefgh123":        "[redacted A_KEY]23",
		"abcdefgXgh12345678": "abcdefgXgh12345678",
		"abcdegh1234567890":  "abcde[redacted C_KEY]",
	} {
		for _, cuts := range [][]int{nil, everyByte(text)} {
			if got, _ := split(secrets, text, cuts...); got != want {
				t.Errorf("%q became %q, want %q", text, got, want)
			}
		}
	}
}

func TestFindingsSayWhatAndWhereAndNeverTheValue(t *testing.T) {
	t.Parallel()
	got := Find(known, "x "+value+" sk-ant-api03-Abc123def456Ghi789\nAuthorization: Bearer abcdefgh1234")
	want := []Finding{{"value of DB_PASSWORD", 2}, {"anthropic key", 24}, {"authorization", 78}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestNamesThatAreNoneAreNotShown(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{"=abcdef123456", "a b=abcdef123456", "é=abcdef123456"} {
		if got := Text([]string{secret}, "abcdef123456"); got != plainMark {
			t.Errorf("%q: %q", secret, got)
		}
	}
	if got := Text([]string{"A=red", "B=redacted", "C="}, "a redacted text"); got != "a redacted text" {
		t.Errorf("%q", got)
	}
}

func FuzzAnySplit(f *testing.F) {
	for _, tt := range printed() {
		f.Add(value, tt[0], uint16(3))
	}
	f.Add("aaaaaaab", "aaaaaaaaaaaaaabaaaaaaab", uint16(1))
	f.Fuzz(func(t *testing.T, secret, text string, step uint16) {
		secret = strings.TrimSpace(secret)
		if len(secret) < leastNamed || len(secret) > 1<<10 || len(text) > 1<<12 || strings.ContainsAny(secret, "[]") || strings.Contains("redacted S_KEY", secret) {
			return
		}
		secrets := []string{"S_KEY=" + secret}
		text += secret
		want, n := split(secrets, text)
		if strings.Contains(want, secret) {
			t.Fatalf("%q is in %q", secret, want)
		}
		var cuts []int
		for i := int(step%64) + 1; i < len(text); i += int(step%64) + 1 {
			cuts = append(cuts, i)
		}
		if got, m := split(secrets, text, cuts...); got != want || m != n {
			t.Fatalf("in pieces of %d: %q (%d), want %q (%d)", step%64+1, got, m, want, n)
		}
	})
}

// ordinary is output as agents print it.
func ordinary() []byte {
	const turn = `{"type":"assistant","message":{"id":"msg_01AbCdEf","content":[{"type":"text","text":"I'll look at the tests first, then change ` +
		`the parser so that it keeps going after junk.\nThe failing one is TestParse/empty in internal/parse/parse_test.go:42."}],"usage":{"input_tokens":1234}}}` + "\n" +
		"--- FAIL: TestParse (0.01s)\n    parse_test.go:42: got \"\", want \"a\"\n+++ b/internal/parse.go\n@@ -10,6 +10,7 @@ func Parse(s string) {\n" +
		"commit d10fe709a82d2c79de9c1de7242ef7e0b39fa79c\nok  \tautopilot/events\t0.213s\n"
	return []byte(strings.Repeat(turn, 1<<20/len(turn)))
}

func tenSecrets() []string {
	var out []string
	for i := range 10 {
		out = append(out, fmt.Sprintf("K%d_TOKEN=%d-f47Kq9%dzz8Wd1mXq2Lr%d", i, i*7, i, i))
	}
	return out
}

func BenchmarkWriter(b *testing.B) {
	text := ordinary()
	const piece = 32 << 10
	sink := make([]byte, piece)
	to := func(p []byte) { copy(sink, p) }
	run := func(name string, write func([]byte)) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				for i := 0; i < len(text); i += piece {
					write(text[i:min(i+piece, len(text))])
				}
			}
		})
	}
	run("copy", to)
	w := New(tenSecrets(), to)
	run("ten secrets", func(p []byte) { _, _ = w.Write(p) })
	if w.Count() > 0 {
		b.Errorf("%d replaced", w.Count())
	}
	shapes := New(nil, to)
	run("shapes only", func(p []byte) { _, _ = shapes.Write(p) })
}

func BenchmarkCompile(b *testing.B) {
	secrets := tenSecrets()
	b.ReportAllocs()
	for b.Loop() {
		Compile(secrets)
	}
}
