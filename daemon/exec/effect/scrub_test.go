package effect_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autopilot/daemon/exec/effect"
	"autopilot/daemon/exec/redact"
)

const secretValue = "q8Zr-4tYw-1mNv"

// B.8 env-leak, print-secret-split
func TestNoSpoolHoldsASecret(t *testing.T) {
	t.Parallel()
	for name, raw := range map[string]string{"text": "", "bytes that are no text": "\xff"} {
		for _, both := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				b := newRig(t)
				s := b.sh(`env; printf q8Zr-4t; sleep 0.01; echo Yw-1mNv; echo ghp_abcdefghijklmnopqrstuvwxyz0123456789 >&2; printf q8Zr-4`)
				s.Split = both
				s.Env = append(s.Env, "A_TOKEN="+secretValue, "B="+raw)
				s.Secrets = redact.Secrets(s.Env)
				out := b.run(s)
				text := ""
				for _, stream := range []string{effect.Merged, effect.Stdout, effect.Stderr} {
					o, err := b.dir.Output(stream, 1<<20)
					if err != nil {
						t.Fatal(err)
					}
					text += string(o.Head) + string(o.Tail)
				}
				if strings.Contains(text, secretValue) || strings.Contains(text, "ghp_") || strings.Count(text, "[redacted A_TOKEN]") != 2 {
					t.Errorf("the spools hold %q", text)
				}
				if !strings.Contains(text, "q8Zr-4") {
					t.Error("the beginning of a secret is none, and was lost at the end")
				}
				if out.Redacted != 3 || out.Bytes != int64(len(text)) {
					t.Errorf("%d were taken out; %d bytes are told, %d are there", out.Redacted, out.Bytes, len(text))
				}
			})
		}
	}
}

func TestTheEnvironmentOfAnEffectThatIsOverIsForgotten(t *testing.T) {
	t.Parallel()
	b := newRig(t)
	b.run(b.sh("true"))
	spec := filepath.Join(b.dir.Path(), "ctl", "spec.json")
	if _, err := os.Stat(spec); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the spec is there: %v", err)
	}
	// As after a power cut, and with an intent that was abandoned before.
	older := filepath.Join(b.dir.Path(), "ctl.1")
	if err := os.Rename(filepath.Dir(spec), older); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Dir(spec), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{spec, filepath.Join(older, "spec.json")} {
		if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b.restart()
	for _, path := range []string{spec, filepath.Join(older, "spec.json")} {
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the next daemon leaves %s: %v", path, err)
		}
	}
}

func TestABoxIsScrubbedWithoutFollowingWhatIsInIt(t *testing.T) {
	t.Parallel()
	b := newRig(t)
	outside := filepath.Join(t.TempDir(), "mine")
	if err := os.WriteFile(outside, []byte(secretValue), 0o600); err != nil {
		t.Fatal(err)
	}
	s := b.sh(`cd "$BOX"; mkdir -p d/e; echo "a $S b" > result.json; echo plain > plain; echo "$S" > d/e/f; echo "$S" > outbox/n
ln -s "$OUT" link; ln -s / root; mkfifo pipe; head -c 17000000 /dev/zero > large; echo "$S" > .scrubbed
ln "$OUT" hard; chmod 0 d/e/f`)
	s.Env = append(s.Env, "S="+secretValue, "OUT="+outside)
	b.run(s)
	set := redact.Compile([]string{"S=" + secretValue})
	for range 2 {
		if err := b.dir.Scrub(set); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := b.dir.Result(); err != nil || string(got) != "a [redacted S] b\n" {
		t.Errorf("result %q, %v", got, err)
	}
	if got, err := b.dir.ReadBox("plain"); err != nil || string(got) != "plain\n" {
		t.Errorf("plain %q, %v", got, err)
	}
	if got, err := os.ReadFile(outside); err != nil || string(got) != secretValue {
		t.Errorf("a file outside of the box is %q now, %v", got, err)
	}
	err := filepath.WalkDir(b.dir.Box(), func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), secretValue) || len(text) > 1<<20 {
			t.Errorf("%s holds %.40q", path, text)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if err := b.r.Open("none").Scrub(set); err != nil {
		t.Errorf("without a box: %v", err)
	}
}
