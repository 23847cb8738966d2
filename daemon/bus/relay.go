package bus

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"

	"autopilot/events/wire"
)

// Bounds of the client protocol.
const (
	maxLine    = 4 << 10   // a control line, as the server's own default
	maxPayload = 512 << 10 // headers and body of a message
	bufferSize = 32 << 10
)

// Errors of a client that does not speak the protocol as it has to.
var (
	errProtocol      = errors.New("protocol error")
	errSecondConnect = errors.New("second CONNECT")
	errClientName    = errors.New("client name is not 26 characters of a-z and 2-7")
)

// relay copies what a client says to the server. It reads it closely enough to
// know where every command begins, and accepts only commands that clients
// need, written in one way: so the server sees the same commands. It holds one
// line and one buffer at most.
func relay(dst io.Writer, src *bufio.Reader) error {
	w := bufio.NewWriterSize(dst, bufferSize)
	for {
		if src.Buffered() == 0 {
			if err := w.Flush(); err != nil {
				return err
			}
		}
		line, err := readLine(src)
		if err != nil {
			return err
		}
		size, err := command(line)
		if err != nil {
			return err
		}
		if _, err := w.Write(line); err != nil {
			return err
		}
		if size < 0 {
			continue
		}
		if _, err := io.CopyN(w, src, int64(size)+2); err != nil { // with its line end, which the server checks
			return err
		}
	}
}

// readLine reads up to and with the next line end. The line is valid until the
// next read.
func readLine(src *bufio.Reader) ([]byte, error) {
	line, err := src.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) || len(line) > maxLine {
		return nil, fmt.Errorf("%w: line over %d bytes", errProtocol, maxLine)
	}
	if err != nil {
		return nil, err
	}
	return line, nil
}

// command checks a control line and gives the size of the payload that
// follows, -1 for none.
func command(line []byte) (int, error) {
	body, ok := bytes.CutSuffix(line, []byte("\r\n"))
	if !ok || bytes.IndexByte(body, '\r') >= 0 {
		return 0, fmt.Errorf("%w: line end", errProtocol)
	}
	op, rest, _ := bytes.Cut(body, []byte(" "))
	args := bytes.FieldsFunc(rest, func(r rune) bool { return r == ' ' || r == '\t' })
	switch string(op) {
	case "PING", "PONG":
		if len(body) != len(op) {
			break
		}
		return -1, nil
	case "SUB":
		if len(args) == 2 || len(args) == 3 {
			return -1, nil
		}
	case "UNSUB":
		if len(args) == 1 || len(args) == 2 {
			return -1, nil
		}
	case "PUB":
		if len(args) == 2 || len(args) == 3 {
			return payloadSize(args[len(args)-1])
		}
	case "HPUB":
		if len(args) == 3 || len(args) == 4 {
			return payloadSize(args[len(args)-1])
		}
	case "CONNECT":
		return 0, errSecondConnect
	}
	return 0, fmt.Errorf("%w: %.16q", errProtocol, body)
}

func payloadSize(digits []byte) (int, error) {
	n := 0
	for _, d := range digits {
		if d < '0' || d > '9' || len(digits) > 9 {
			return 0, fmt.Errorf("%w: size %.16q", errProtocol, digits)
		}
		n = n*10 + int(d-'0')
	}
	if n > maxPayload {
		return 0, fmt.Errorf("%w: message of %d bytes", errProtocol, n)
	}
	return n, nil
}

// hello is what the server is told about a client. Everything else that the
// client put into its CONNECT is dropped.
type hello struct {
	Verbose      bool   `json:"verbose"`
	Pedantic     bool   `json:"pedantic"`
	Token        string `json:"auth_token"`
	Name         string `json:"name"`
	Lang         string `json:"lang"`
	Version      string `json:"version"`
	Protocol     int    `json:"protocol"`
	Echo         bool   `json:"echo"`
	Headers      bool   `json:"headers"`
	NoResponders bool   `json:"no_responders"`
}

// readConnect reads a client's CONNECT and gives its name.
func readConnect(src *bufio.Reader) (string, error) {
	line, err := readLine(src)
	if err != nil {
		return "", err
	}
	arg, ok := bytes.CutPrefix(line, []byte("CONNECT "))
	if !ok || !bytes.HasSuffix(arg, []byte("}\r\n")) {
		return "", fmt.Errorf("%w: want CONNECT first", errProtocol)
	}
	var in struct {
		Name string `json:"name"`
	}
	if err := json.Unmarshal(arg, &in); err != nil {
		return "", fmt.Errorf("%w: CONNECT: %w", errProtocol, err)
	}
	if !wire.ValidClient(in.Name) {
		return "", errClientName
	}
	return in.Name, nil
}

// connectLine is the CONNECT that the server gets.
func connectLine(name, token string) ([]byte, error) {
	b, err := json.Marshal(hello{
		Token: token, Name: name, Lang: "autopilot", Version: "1", Protocol: 1,
		Echo: true, Headers: true, NoResponders: true,
	})
	if err != nil {
		return nil, fmt.Errorf("encode CONNECT: %w", err)
	}
	return append(append([]byte("CONNECT "), b...), "\r\n"...), nil
}
