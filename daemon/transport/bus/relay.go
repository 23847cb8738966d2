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

// control is a control line, read: what it asks, and of what size its payload
// is, -1 for none.
type control struct {
	op   string
	args [][]byte
	size int
}

// publishes says that the line sends a message, and where its answer shall go;
// that may be empty.
func (c control) publishes() (subject, reply []byte, ok bool) {
	most := 0 // arguments without a reply
	switch c.op {
	case "PUB":
		most = 2
	case "HPUB":
		most = 3
	default:
		return nil, nil, false
	}
	if len(c.args) > most {
		reply = c.args[1]
	}
	return c.args[0], reply, true
}

// relay copies what a client says to the server. It reads it closely enough to
// know where every command begins, and accepts only commands that clients
// need, written in one way: so the server sees the same commands. It holds one
// line and one buffer at most. pass, where it is given, says how a line is
// passed on; its error ends the relay.
func relay(dst io.Writer, src *bufio.Reader, pass func(control, []byte) ([]byte, error)) error {
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
		c, err := command(line)
		if err == nil && pass != nil {
			line, err = pass(c, line)
		}
		if err != nil {
			return err
		}
		if _, err := w.Write(line); err != nil {
			return err
		}
		if c.size < 0 {
			continue
		}
		if _, err := io.CopyN(w, src, int64(c.size)+2); err != nil { // with its line end, which the server checks
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

// command reads a control line.
func command(line []byte) (control, error) {
	body, ok := bytes.CutSuffix(line, []byte("\r\n"))
	if !ok || bytes.IndexByte(body, '\r') >= 0 {
		return control{}, fmt.Errorf("%w: line end", errProtocol)
	}
	op, rest, _ := bytes.Cut(body, []byte(" "))
	args := bytes.FieldsFunc(rest, func(r rune) bool { return r == ' ' || r == '\t' })
	c := control{op: string(op), args: args, size: -1}
	switch c.op {
	case "PING", "PONG":
		if len(body) == len(op) {
			return c, nil
		}
	case "SUB":
		if len(args) == 2 || len(args) == 3 {
			return c, nil
		}
	case "UNSUB":
		if len(args) == 1 || len(args) == 2 {
			return c, nil
		}
	case "PUB":
		if len(args) == 2 || len(args) == 3 {
			return c.sized()
		}
	case "HPUB":
		if len(args) == 3 || len(args) == 4 {
			return c.sized()
		}
	case "CONNECT":
		return c, errSecondConnect
	}
	return c, fmt.Errorf("%w: %.16q", errProtocol, body)
}

// sized takes the size of the payload from the last argument.
func (c control) sized() (_ control, err error) {
	c.size, err = payloadSize(c.args[len(c.args)-1])
	return c, err
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

// introduction is what is read of a client's CONNECT.
type introduction struct {
	Name      string `json:"name"`
	NKey      string `json:"nkey"` // public
	Signature string `json:"sig"`  // of the nonce
	Verbose   bool   `json:"verbose"`
}

// client is the name of the client of a socket.
func (in introduction) client() (string, error) {
	if !wire.ValidClient(in.Name) {
		return "", errClientName
	}
	return in.Name, nil
}

// readConnect reads a client's CONNECT.
func readConnect(src *bufio.Reader) (in introduction, err error) {
	line, err := readLine(src)
	if err != nil {
		return in, err
	}
	arg, ok := bytes.CutPrefix(line, []byte("CONNECT "))
	if !ok || !bytes.HasSuffix(arg, []byte("}\r\n")) {
		return in, fmt.Errorf("%w: want CONNECT first", errProtocol)
	}
	if err := json.Unmarshal(arg, &in); err != nil {
		return in, fmt.Errorf("%w: CONNECT: %w", errProtocol, err)
	}
	return in, nil
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
