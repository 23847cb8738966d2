package place

// EnvReady holds the number of a file descriptor on which a starting daemon
// says, once and as a JSON object with a code, that it serves or why it does
// not. Without the variable nobody listens.
const EnvReady = "AUTOPILOT_READY_FD"

// EnvService names the service manager that starts a daemon: systemd or launchd.
const EnvService = "AUTOPILOT_SERVICE"
