package bus

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	"autopilot/events/wire"
)

func TestRelayPassesWhatClientsNeed(t *testing.T) {
	t.Parallel()
	const good = "PING\r\nPONG\r\nSUB a 1\r\nSUB a q 1\r\nUNSUB 1\r\nUNSUB 1 2\r\n" +
		"PUB a 0\r\n\r\nPUB a b 5\r\nC\r\nON\r\nHPUB a 12 14\r\nNATS/1.0\r\n\r\nhi\r\nHPUB a  b 12 12\r\nNATS/1.0\r\n\r\n\r\n"
	var out bytes.Buffer
	if err := relay(&out, bufio.NewReader(iotestOneByte{strings.NewReader(good)}), nil); !errors.Is(err, io.EOF) {
		t.Errorf("got %v, want EOF", err)
	}
	if out.String() != good {
		t.Errorf("got %q, want %q", out.String(), good)
	}
}

// iotestOneByte gives one byte at a time.
type iotestOneByte struct{ r io.Reader }

func (o iotestOneByte) Read(p []byte) (int, error) { return o.r.Read(p[:1]) }

func TestRelayRefusesTheRest(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{
		"CONNECT {}\r\n", "connect {}\r\n", "pub a 1\r\n", "PUB a\r\n", "PUB a -1\r\n", "PUB a 1x\r\n", "PUB a b c 1\r\n",
		"PUB a 9999999999\r\n", "PUB a 600000\r\n", "PUB a 1\n", "PUB a\r 1\r\n", "PING \r\n", "PINGX\r\n", "INFO {}\r\n",
		"+OK\r\n", "-ERR 'x'\r\n", "MSG a 1 1\r\n", "\r\n", "\x00\xff\r\n", "SUB\r\n", "UNSUB\r\n", "HPUB a 1\r\n",
		"GET / HTTP/1.1\r\n", strings.Repeat("x", 100_000),
	} {
		var out bytes.Buffer
		err := relay(&out, bufio.NewReaderSize(strings.NewReader(bad), bufferSize), nil)
		if !errors.Is(err, errProtocol) && !errors.Is(err, errSecondConnect) {
			t.Errorf("%.20q: got %v", bad, err)
		}
		if out.Len() > 0 {
			t.Errorf("%.20q: %q was passed on", bad, out.String())
		}
	}
}

// FuzzRelay compares with a second, simpler reading of what was passed on: in
// it, no command may be anything but the six that clients need.
func FuzzRelay(f *testing.F) {
	for _, s := range []string{
		"PING\r\nPUB a 3\r\nabc\r\nCONNECT {}\r\n", "HPUB a b 12 13\r\nNATS/1.0\r\n\r\nx\r\nPING\r\n",
		"PUB a 12\r\nCONNECT {}\r\n\r\nPING\r\n", "SUB a\t1\r\nUNSUB 1 1\r\n", "PUB a 000000003\r\nabc\r\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var out bytes.Buffer
		if err := relay(&out, bufio.NewReaderSize(bytes.NewReader(in), bufferSize), nil); err == nil {
			t.Fatal("relay ended without a reason")
		}
		if !bytes.HasPrefix(in, out.Bytes()) {
			t.Fatalf("%q became %q", in, out.Bytes())
		}
		rest := out.String()
		for rest != "" {
			line, after, ok := strings.Cut(rest, "\r\n")
			if !ok {
				return // an unfinished payload
			}
			op, _, _ := strings.Cut(line, " ")
			switch op {
			case "PING", "PONG", "SUB", "UNSUB":
				rest = after
			case "PUB", "HPUB":
				n := 0
				for _, d := range line[strings.LastIndexAny(line, " \t")+1:] {
					n = n*10 + int(d-'0')
				}
				if len(after) < n+2 {
					return
				}
				rest = after[n+2:]
			default:
				t.Fatalf("command %q was passed on", line)
			}
		}
	})
}

func FuzzReadConnect(f *testing.F) {
	f.Add([]byte(`CONNECT {"name":"abcdefghijklmnopqrstuvwxyz"}` + "\r\n"))
	f.Add([]byte(`CONNECT {"name":"a","name":"b"}` + "\r\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		hi, err := readConnect(bufio.NewReaderSize(bytes.NewReader(in), bufferSize))
		if err != nil {
			return
		}
		if name, err := hi.client(); err == nil && !wire.ValidClient(name) {
			t.Fatalf("name %q was taken", name)
		}
		if signed(hi, "nonce") {
			t.Fatal("a signature was taken that nobody made")
		}
	})
}

func TestGarbageCostsNoMemory(t *testing.T) { // not parallel: it counts the allocations of the process
	b := openBus(t, nil, nil)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	junk := bytes.Repeat([]byte("A"), 1<<20)
	for _, head := range []string{"", "CONNECT {\"name\":\"", "PUB ", "\x00\x00\r\n"} {
		k := openTalk(t, b.cfg.Places.Socket)
		if head == "PUB " {
			k.hello(t, newName(t))
		}
		k.say(t, head)
		for range 64 {
			if _, err := k.Write(junk); err != nil {
				break // refused, as it should be
			}
		}
		for line := ""; line != "closed"; {
			if line = k.line(t); line != "closed" && !strings.HasPrefix(line, "-ERR") && !strings.HasPrefix(line, "INFO") {
				t.Errorf("%q: got %q", head, line)
			}
		}
	}
	runtime.ReadMemStats(&after)
	if grown := int64(after.TotalAlloc - before.TotalAlloc); grown > 32<<20 {
		t.Errorf("%d MB were allocated", grown>>20)
	}
	mustDial(t, b.cfg.Places.Socket)
}
