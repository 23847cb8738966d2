package bus

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"autopilot/events/wire"
)

const inner = "abcdefghijklmnopqrstuvwxyz"

func passedOn(t testing.TB, in []byte) (string, error) {
	var out bytes.Buffer
	door := edge{identity: "alice", client: inner, pace: &pace{}, ctx: t.Context()}
	err := relay(&out, bufio.NewReaderSize(bytes.NewReader(in), bufferSize), door.pass)
	return out.String(), err
}

func TestWhatAnIdentitySendsIsPassedOnUnderTheNameOfItsConnection(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"PUB ap.cmd.alice.run.get 2\r\n{}\r\n":                                       "PUB ap.cmd." + inner + ".run.get 2\r\n{}\r\n",
		"PUB  ap.cmd.alice.run.get\t_INBOX.alice.1 0\r\n\r\n":                        "PUB ap.cmd." + inner + ".run.get _INBOX.alice.1 0\r\n\r\n",
		"HPUB ap.cmd.alice.run.get _INBOX.alice.1.2 12 14\r\nNATS/1.0\r\n\r\n{}\r\n": "HPUB ap.cmd." + inner + ".run.get _INBOX.alice.1.2 12 14\r\nNATS/1.0\r\n\r\n{}\r\n",
		"HPUB ap.cmd.alice.run.get _INBOX.bob.1 12 14\r\nNATS/1.0\r\n\r\n{}\r\n":     "HPUB _INBOX.bob.1 12 14\r\nNATS/1.0\r\n\r\n{}\r\n",
		"PUB $SRV.PING ap.cmd.alice.run.stop 0\r\n\r\n":                              "PUB ap.cmd.alice.run.stop 0\r\n\r\n",
		"PUB $SRV.PING _INBOX.alice.1 0\r\n\r\n":                                     "PUB $SRV.PING _INBOX.alice.1 0\r\n\r\n",
		"PUB ap.cmd.bob.run.get 0\r\n\r\n":                                           "PUB ap.cmd.bob.run.get 0\r\n\r\n",
		"PUB ap.cmd.alicex.run.get 0\r\n\r\n":                                        "PUB ap.cmd.alicex.run.get 0\r\n\r\n",
		"SUB _INBOX.alice.* 1\r\nUNSUB 1\r\nPING\r\n":                                "SUB _INBOX.alice.* 1\r\nUNSUB 1\r\nPING\r\n",
	} {
		if got, err := passedOn(t, []byte(said)); got != want || !errors.Is(err, io.EOF) {
			t.Errorf("%q: got %q, %v", said, got, err)
		}
	}
	long := "PUB ap.cmd.alice." + strings.Repeat("x", maxLine-25) + " 0\r\n\r\n"
	if got, err := passedOn(t, []byte(long)); got != "" || !errors.Is(err, errProtocol) {
		t.Errorf("a line that grows too long: %d bytes, %v", len(got), err)
	}
}

// FuzzEdge: whatever is said, no answer is asked for but in the own inbox.
func FuzzEdge(f *testing.F) {
	for _, s := range []string{
		"PUB $SRV.PING _INBOX.bob.1 0\r\n\r\n", "HPUB ap.cmd.alice.run.get _INBOX.alice.> 12 12\r\nNATS/1.0\r\n\r\n\r\n",
		"PUB ap.cmd.alice.x ap.event.run.x 3\r\nabc\r\nPUB a b 0\r\n\r\n", "PUB\tap.cmd.alice.x 0\r\n\r\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		out, _ := passedOn(t, in)
		src := bufio.NewReaderSize(strings.NewReader(out), bufferSize)
		for {
			line, err := readLine(src)
			if err != nil {
				return
			}
			c, err := command(line)
			if err != nil {
				t.Fatalf("%q was passed on", line)
			}
			if _, reply, _ := c.publishes(); len(reply) > 0 && !wire.OwnReply("alice", string(reply)) {
				t.Fatalf("%q was passed on", line)
			}
			if c.size >= 0 {
				if _, err := src.Discard(c.size + 2); err != nil {
					return
				}
			}
		}
	})
}
