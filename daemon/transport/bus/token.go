package bus

import (
	"crypto/rand"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// tokenLife is how long a token waits for its one use. It is used within
// microseconds, by the bridge or by the daemon's own connections.
const tokenLife = 5 * time.Second

// tokens trades one-time tokens for permissions. It is the server's only
// authentication.
type tokens struct {
	now func() time.Time

	mu     sync.Mutex
	grants map[string]grant
}

type grant struct {
	perms   *server.Permissions // nil is everything
	expires time.Time
}

func newTokens(now func() time.Time) *tokens {
	return &tokens{now: now, grants: map[string]grant{}}
}

// issue makes a token that is good for one connection.
func (t *tokens) issue(perms *server.Permissions) string {
	token := rand.Text()
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	for k, g := range t.grants {
		if now.After(g.expires) {
			delete(t.grants, k)
		}
	}
	t.grants[token] = grant{perms: perms, expires: now.Add(tokenLife)}
	return token
}

// redeem takes a token out.
func (t *tokens) redeem(token string) (grant, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	g, ok := t.grants[token]
	delete(t.grants, token)
	return g, ok && !t.now().After(g.expires)
}

// Check lets a connection in that came through the in-process pipe with a
// token. The server calls it for every CONNECT.
func (t *tokens) Check(c server.ClientAuthentication) bool {
	addr := c.RemoteAddress()
	if c.Kind() != server.CLIENT || addr == nil || addr.Network() != "pipe" {
		return false
	}
	g, ok := t.redeem(c.GetOpts().Token)
	if !ok {
		return false
	}
	c.RegisterUser(&server.User{Permissions: g.perms})
	return true
}

// only allows to publish on pub and to subscribe to sub, and nothing else. An
// empty list denies all.
func only(pub, sub []string) *server.Permissions {
	side := func(subjects []string) *server.SubjectPermission {
		if len(subjects) == 0 {
			return &server.SubjectPermission{Deny: []string{">"}}
		}
		return &server.SubjectPermission{Allow: subjects}
	}
	return &server.Permissions{Publish: side(pub), Subscribe: side(sub)}
}
