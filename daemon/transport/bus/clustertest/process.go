package clustertest

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
)

// Serve is a NATS server of a configuration file, until it is killed. A test program
// that is started to be a server calls it.
func Serve(config string) error {
	opts, err := server.ProcessConfigFile(config)
	if err != nil {
		return err
	}
	opts.NoSigs = true
	srv, err := server.NewServer(opts)
	if err != nil {
		return err
	}
	srv.ConfigureLogger()
	srv.Start()
	srv.WaitForShutdown()
	return errors.New("the server has ended")
}

// Processes are three servers that are processes: they can be killed, stopped, and cut
// off from each other and from each of their clients, as by a network that loses every
// packet. Each connection goes through a link that this process keeps.
type Processes struct {
	key    nkeys.KeyPair
	self   []string
	nodes  [Size]*process
	links  map[[2]int]*link // between servers, from the one that connects
	client []map[int]*link  // by client: to each server
	dir    string
}

type process struct {
	config string
	port   int
	cmd    *exec.Cmd
	ended  chan struct{}
}

// StartProcesses starts the servers, for so many clients. self is the command line
// that is to call Serve; the name of a configuration file is added.
func StartProcesses(tb testing.TB, clients int, self ...string) *Processes {
	tb.Helper()
	k, err := nkeys.CreateUser()
	if err != nil {
		tb.Fatal(err)
	}
	p := &Processes{key: k, self: self, links: map[[2]int]*link{}, dir: tb.TempDir()}
	ports := freePorts(tb, 2*Size)
	for i := range Size {
		for j := range Size {
			if i != j {
				p.links[[2]int{i, j}] = newLink(tb, ports[Size+j])
			}
		}
	}
	for range clients {
		to := map[int]*link{}
		for i := range Size {
			to[i] = newLink(tb, ports[i])
		}
		p.client = append(p.client, to)
	}
	for i := range p.nodes {
		p.nodes[i] = &process{config: filepath.Join(p.dir, fmt.Sprintf("n%d.conf", i)), port: ports[i]}
		if err := os.WriteFile(p.nodes[i].config, []byte(p.text(tb, i, ports)), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	tb.Cleanup(func() {
		for i := range p.nodes {
			p.Kill(i)
		}
	})
	for i := range p.nodes {
		p.Up(tb, i)
	}
	return p
}

func (p *Processes) text(tb testing.TB, i int, ports []int) string {
	tb.Helper()
	var routes []string
	for j := range Size {
		if i != j {
			routes = append(routes, fmt.Sprintf("nats://%s", p.links[[2]int{i, j}].address()))
		}
	}
	pub, err := p.key.PublicKey()
	if err != nil {
		tb.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "server_name: n%d\nlisten: \"127.0.0.1:%d\"\nlog_file: %q\n", i, ports[i], filepath.Join(p.dir, fmt.Sprintf("n%d.log", i)))
	fmt.Fprintf(&b, "jetstream: {store_dir: %q, max_file_store: 1GB, max_memory_store: 64MB}\n", filepath.Join(p.dir, fmt.Sprintf("n%d", i)))
	// Nobody is told of an address that goes around a link.
	fmt.Fprintf(&b, "cluster: {name: team, listen: \"127.0.0.1:%d\", routes: [%s], no_advertise: true, advertise: \"127.0.0.1:9\"}\n", ports[Size+i], strings.Join(routes, ", "))
	fmt.Fprintf(&b, "accounts: {team: {jetstream: enabled, users: [{nkey: %s, %s}]}}\n", pub, may)
	return b.String()
}

// Up starts a server that is down, and waits until it listens.
func (p *Processes) Up(tb testing.TB, i int) {
	tb.Helper()
	n := p.nodes[i]
	cmd := exec.Command(p.self[0], append(p.self[1:], n.config)...)
	cmd.Env, cmd.Stderr = []string{"PATH=" + os.Getenv("PATH")}, os.Stderr
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	n.cmd, n.ended = cmd, make(chan struct{})
	go func() {
		_ = cmd.Wait() // it is killed
		close(n.ended)
	}()
	for limit := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) { // nothing tells of it
		c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", n.port))
		if err == nil {
			_ = c.Close()
			return
		}
		if time.Now().After(limit) {
			tb.Fatal(err)
		}
	}
}

// Kill ends a server as a power cut does.
func (p *Processes) Kill(i int) {
	n := p.nodes[i]
	if n.cmd == nil {
		return
	}
	_ = n.cmd.Process.Signal(syscall.SIGKILL) // it may have ended
	<-n.ended
	n.cmd = nil
}

// Stop has a server stand still: its connections stay, and nothing is answered.
func (p *Processes) Stop(i int) { _ = p.nodes[i].cmd.Process.Signal(syscall.SIGSTOP) }

// Go has a server that stands still go on.
func (p *Processes) Go(i int) { _ = p.nodes[i].cmd.Process.Signal(syscall.SIGCONT) }

// Cut loses all that is sent between two servers, or lets it through again.
func (p *Processes) Cut(i, j int, cut bool) {
	p.links[[2]int{i, j}].cut(cut)
	p.links[[2]int{j, i}].cut(cut)
}

// CutClient loses all that is sent between a client and a server.
func (p *Processes) CutClient(client, i int, cut bool) { p.client[client][i].cut(cut) }

// URLs is where a client reaches the servers, as one setting.
func (p *Processes) URLs(client int) string {
	var urls []string
	for i := range Size {
		urls = append(urls, "nats://"+p.client[client][i].address())
	}
	return strings.Join(urls, ",")
}

// Of is the server behind an address of a client, -1 of none.
func (p *Processes) Of(client int, url string) int {
	for i, l := range p.client[client] {
		if strings.HasSuffix(url, l.address()) {
			return i
		}
	}
	return -1
}

// KeyFile writes the key of the servers' user to a file.
func (p *Processes) KeyFile(tb testing.TB) string {
	tb.Helper()
	return writeSeed(tb, p.key)
}

// Connect connects to the servers, around all links.
func (p *Processes) Connect(tb testing.TB) *nats.Conn {
	tb.Helper()
	pub, err := p.key.PublicKey()
	if err != nil {
		tb.Fatal(err)
	}
	var urls []string
	for _, n := range p.nodes {
		urls = append(urls, fmt.Sprintf("nats://127.0.0.1:%d", n.port))
	}
	nc, err := nats.Connect(strings.Join(urls, ","), nats.Nkey(pub, p.key.Sign), nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(nc.Close)
	return nc
}

// link passes bytes on between whoever connects and one port, unless it is cut: then
// it keeps them, and nobody is told.
type link struct {
	listener net.Listener
	to       string

	mu   sync.Mutex
	open *sync.Cond
	lost bool
	done bool
}

func newLink(tb testing.TB, port int) *link {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	k := &link{listener: l, to: fmt.Sprintf("127.0.0.1:%d", port)}
	k.open = sync.NewCond(&k.mu)
	var wg sync.WaitGroup
	wg.Go(func() { k.accept(&wg) })
	tb.Cleanup(func() {
		k.mu.Lock()
		k.done = true
		k.open.Broadcast()
		k.mu.Unlock()
		_ = l.Close()
		wg.Wait()
	})
	return k
}

func (k *link) address() string { return k.listener.Addr().String() }

func (k *link) cut(lost bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.lost = lost
	k.open.Broadcast()
}

// passes waits while the link is cut; false is its end.
func (k *link) passes() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	for k.lost && !k.done {
		k.open.Wait()
	}
	return !k.done
}

func (k *link) accept(wg *sync.WaitGroup) {
	for {
		c, err := k.listener.Accept()
		if err != nil {
			return
		}
		wg.Go(func() { k.carry(wg, c) })
	}
}

func (k *link) carry(wg *sync.WaitGroup, c net.Conn) {
	defer c.Close()
	if !k.passes() {
		return
	}
	far, err := net.Dial("tcp", k.to)
	if err != nil {
		return
	}
	wg.Go(func() { k.copy(c, far) }) // each way ends the other one
	k.copy(far, c)
}

func (k *link) copy(to, from net.Conn) {
	defer to.Close()
	defer from.Close()
	buf := make([]byte, 32<<10)
	for {
		_ = from.SetReadDeadline(time.Now().Add(100 * time.Millisecond)) // to see the end of the test
		n, err := from.Read(buf)
		var timeout net.Error
		if err != nil && (!errors.As(err, &timeout) || !timeout.Timeout()) {
			if !k.passes() || n == 0 {
				return
			}
		}
		if !k.passes() {
			return
		}
		if n > 0 {
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
	}
}
