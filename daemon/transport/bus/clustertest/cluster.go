// Package clustertest starts three NATS servers with JetStream in the process of
// a test, as a team has them: with files, replicas, and a key for who connects.
// Each can be ended and started again on the same files and ports.
package clustertest

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
)

// Size is how many servers there are.
const Size = 3

// Cluster is three servers that know each other. Its accounts share nothing but
// the machines, so each part of a test may have one of its own.
type Cluster struct {
	nodes    [Size]*node
	accounts []nkeys.KeyPair
}

type node struct {
	config string // file
	port   int

	mu  sync.Mutex
	srv *server.Server // nil while it is down
}

// Start starts the servers, with as many accounts.
func Start(tb testing.TB, accounts int) *Cluster {
	tb.Helper()
	c := &Cluster{}
	for range accounts {
		k, err := nkeys.CreateUser()
		if err != nil {
			tb.Fatal(err)
		}
		c.accounts = append(c.accounts, k)
	}
	dir, ports := tb.TempDir(), freePorts(tb, 2*Size)
	for i := range c.nodes {
		c.nodes[i] = &node{config: filepath.Join(dir, fmt.Sprintf("n%d.conf", i)), port: ports[i]}
		if err := os.WriteFile(c.nodes[i].config, []byte(c.text(tb, i, dir, ports)), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	tb.Cleanup(func() {
		for i := range c.nodes {
			c.Down(i)
		}
	})
	for i := range c.nodes {
		c.Up(tb, i)
	}
	for !c.met() {
		time.Sleep(10 * time.Millisecond) // nothing tells of an election
	}
	return c
}

// met says that one leads, and knows all others.
func (c *Cluster) met() bool {
	for _, n := range c.nodes {
		if n.srv.JetStreamIsLeader() && len(n.srv.JetStreamClusterPeers()) == Size {
			return true
		}
	}
	return false
}

// may is what docs/team.md says that a daemon needs, and no more; ap.event is for tests
// of a log of one host.
const may = `permissions: {publish: ["ap.team.>", "ap.event.>", "$JS.API.>", "$KV.AP_TEXTS.>", "$KV.AP_HOSTS.>"], subscribe: ["_INBOX.>"]}`

// text is the configuration of a server.
func (c *Cluster) text(tb testing.TB, i int, dir string, ports []int) string {
	tb.Helper()
	var routes []string
	for _, port := range ports[Size:] {
		routes = append(routes, fmt.Sprintf("nats://127.0.0.1:%d", port))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "server_name: n%d\nlisten: \"127.0.0.1:%d\"\n", i, ports[i])
	fmt.Fprintf(&b, "jetstream: {store_dir: %q, max_file_store: 4GB, max_memory_store: 64MB}\n", filepath.Join(dir, fmt.Sprintf("n%d", i)))
	fmt.Fprintf(&b, "cluster: {name: team, listen: \"127.0.0.1:%d\", routes: [%s]}\n", ports[Size+i], strings.Join(routes, ", "))
	b.WriteString("accounts: {\n")
	for n, k := range c.accounts {
		pub, err := k.PublicKey()
		if err != nil {
			tb.Fatal(err)
		}
		fmt.Fprintf(&b, "  a%d: {jetstream: enabled, users: [{nkey: %s, %s}]}\n", n, pub, may)
	}
	b.WriteString("}\n")
	return b.String()
}

// Up starts a server that is down.
func (c *Cluster) Up(tb testing.TB, i int) {
	tb.Helper()
	n := c.nodes[i]
	opts, err := server.ProcessConfigFile(n.config)
	if err != nil {
		tb.Fatal(err)
	}
	opts.NoSigs, opts.NoLog = true, true
	srv, err := server.NewServer(opts)
	if err != nil {
		tb.Fatal(err)
	}
	srv.Start()
	n.mu.Lock()
	n.srv = srv
	n.mu.Unlock()
	if !srv.ReadyForConnections(time.Minute) {
		tb.Fatal("server does not start")
	}
}

// Down ends a server.
func (c *Cluster) Down(i int) {
	n := c.nodes[i]
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.srv != nil {
		n.srv.Shutdown()
		n.srv.WaitForShutdown()
		n.srv = nil
	}
}

// URL is where clients reach a server.
func (c *Cluster) URL(i int) string { return fmt.Sprintf("nats://127.0.0.1:%d", c.nodes[i].port) }

// URLs is where clients reach all of them, as one setting.
func (c *Cluster) URLs() string {
	var urls []string
	for i := range c.nodes {
		urls = append(urls, c.URL(i))
	}
	return strings.Join(urls, ",")
}

// Connect connects to one server with the key of an account.
func (c *Cluster) Connect(tb testing.TB, i, account int) *nats.Conn {
	tb.Helper()
	k := c.accounts[account]
	pub, err := k.PublicKey()
	if err != nil {
		tb.Fatal(err)
	}
	nc, err := nats.Connect(c.URL(i), nats.Nkey(pub, k.Sign), nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(nc.Close)
	return nc
}

// KeyFile writes the key of an account to a file of its own.
func (c *Cluster) KeyFile(tb testing.TB, account int) string {
	tb.Helper()
	return writeSeed(tb, c.accounts[account])
}

func writeSeed(tb testing.TB, k nkeys.KeyPair) string {
	tb.Helper()
	seed, err := k.Seed()
	if err != nil {
		tb.Fatal(err)
	}
	path := filepath.Join(tb.TempDir(), "team.nk")
	if err := os.WriteFile(path, seed, 0o600); err != nil {
		tb.Fatal(err)
	}
	return path
}

// Leader is the server that leads a stream of an account, -1 while none does.
func (c *Cluster) Leader(account int, stream string) int {
	for i, n := range c.nodes {
		n.mu.Lock()
		srv := n.srv
		n.mu.Unlock()
		if srv != nil && srv.JetStreamIsStreamLeader(fmt.Sprintf("a%d", account), stream) {
			return i
		}
	}
	return -1
}

// freePorts finds ports that nobody listens on now.
func freePorts(tb testing.TB, n int) []int {
	tb.Helper()
	var ports []int
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			tb.Fatal(err)
		}
		defer l.Close() // all are held until all are known
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports
}
