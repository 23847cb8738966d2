package redact

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSecretsAreToldByTheNamesOfVariables(t *testing.T) {
	t.Parallel()
	const value = "q8Zr-value-of-it"
	secret := []string{
		"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN", "ANTHROPIC_AUTH_TOKEN",
		"GITHUB_TOKEN", "GH_TOKEN", "HOMEBREW_GITHUB_API_TOKEN", "CI_JOB_TOKEN", "GITLAB_PRIVATE_TOKEN", "NPM_TOKEN",
		"AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AZURE_CLIENT_SECRET", "VAULT_TOKEN", "VAULT_SECRET_ID",
		"PGPASSWORD", "MYSQL_PWD", "MYSQL_ROOT_PASSWORD", "REDISCLI_AUTH", "SMTP_PASS", "DB_PASSWD", "SSH_PASSPHRASE",
		"DJANGO_SECRET_KEY", "SECRET_KEY_BASE", "RAILS_MASTER_KEY", "ENCRYPTION_KEY", "JWT_SECRET", "SESSION_COOKIE",
		"npm_config__auth", "npm_config__authToken", "apiKey", "myAuthToken", "OPENAI_APIKEY", "SIGNING_PRIVATE", "GH_PAT",
		"GOOGLE_CREDENTIALS", "STRIPE_SECRET_KEY", "TWINE_PASSWORD", "CARGO_REGISTRY_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_TOKEN",
		"DATADOG_APP_KEY", "SENTRY_AUTH_TOKEN", "HF_TOKEN", "KAGGLE_KEY", "CLOUDFLARE_API_TOKEN", "SLACK_BOT_TOKEN", "BEARER",
	}
	plain := []string{
		"PATH", "HOME", "PWD", "OLDPWD", "SSH_AUTH_SOCK", "XAUTHORITY", "GIT_AUTHOR_NAME", "GIT_ASKPASS", "SUDO_ASKPASS",
		"AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_SHARED_CREDENTIALS_FILE", "AWS_ACCESS_KEY_ID", "PGPASSFILE", "TOKENIZERS_PARALLELISM",
		"MAX_TOKENS", "CLAUDE_CODE_MAX_OUTPUT_TOKENS", "MAX_THINKING_TOKENS", "KEYBOARD_LAYOUT", "MONKEY", "LESSKEY", "KEYTIMEOUT",
		"AUTH_TYPE", "AUTH_URL", "ACTIONS_ID_TOKEN_REQUEST_URL", "PASSWORD_STORE_DIR", "SSL_CERT_FILE", "COOKIE_DOMAIN", "TOKEN_TTL",
		"STRIPE_PUBLISHABLE_KEY", "SSH_PUBLIC_KEY", "GPG_KEY", "GPG_TTY", "GOPATH", "GOPRIVATE", "LS_COLORS", "TERM_SESSION", "EDITOR",
		"GOOGLE_CLOUD_PROJECT", "ANTHROPIC_MODEL", "ANTHROPIC_BASE_URL", "OPENAI_ORG_ID", "DOCKER_PATCH", "COMPASS", "BYPASS", "AUTHOR",
	}
	for _, name := range secret {
		if got := Secrets([]string{name + "=" + value}); !slices.Equal(got, []string{name + "=" + value}) {
			t.Errorf("%s is not taken for a secret: %q", name, got)
		}
	}
	for _, name := range plain {
		if got := Secrets([]string{name + "=" + value}); len(got) > 0 {
			t.Errorf("%s is taken for a secret", name)
		}
	}
}

func TestSecretsAreTakenByTheirValuesToo(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ env, more, want []string }{
		"too short to be told from text":  {env: []string{"API_KEY=abc1234"}},
		"a word of configuration":         {env: []string{"DB_PASSWORD=postgres", "A_TOKEN=true", "B_SECRET=disabled"}},
		"one byte repeated":               {env: []string{"API_KEY=xxxxxxxxxxxx"}},
		"the user's own name":             {env: []string{"USER=longusername", "DB_PASSWORD=longusername"}},
		"the user's home":                 {env: []string{"HOME=/srv/people/me", "MY_SECRET=/srv/people/me"}},
		"a file":                          {env: []string{"GOOGLE_APPLICATION_CREDENTIALS=/home/me/key.json", "A_SECRET=/srv/a.key"}},
		"a base64 key that begins with /": {env: []string{"S_KEY=/bPxRfiCYEXAMPLEKEY"}, want: []string{"S_KEY=/bPxRfiCYEXAMPLEKEY"}},
		"a value of two variables, once":  {env: []string{"A_TOKEN=abcd12345", "B_TOKEN=abcd12345"}, want: []string{"A_TOKEN=abcd12345"}},
		"white space around it":           {env: []string{"A_TOKEN= abcd12345\n"}, want: []string{"A_TOKEN=abcd12345"}},
		"no variable":                     {env: []string{"A_TOKEN", "=abcdefgh1"}},
		"named by hand":                   {env: []string{"PLAIN=x7y8", "OTHER=abcdefgh12"}, more: []string{"PLAIN", "NONE"}, want: []string{"PLAIN=x7y8"}},
		"named, and far too short":        {env: []string{"PLAIN=x7"}, more: []string{"PLAIN"}},
		"the password of a URL": {
			env:  []string{"DATABASE_URL=postgres://me:s3cr3tpassw@db/x?y=a@b", "HTTPS_PROXY=http://u:p4ssw0rd99@proxy:80", "A=http://u@x/"},
			want: []string{"DATABASE_URL=s3cr3tpassw", "HTTPS_PROXY=p4ssw0rd99"},
		},
		"a usual password of a URL": {env: []string{"DATABASE_URL=postgres://postgres:postgres@localhost/x"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, Secrets(tt.env, tt.more...)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
