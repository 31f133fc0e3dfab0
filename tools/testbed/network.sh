# shellcheck shell=bash
# Sourced by `tools/dev demo`: four network namespaces, and the gateway within the middle one.
#
#   10.77.0.1      (tap)         (af_packet)           10.77.0.2
#       ┌── wgtap0 ══ gateway ══ wgveth0 ── wgveth1 ── host b
#   host a               ║
#       └── wgtap1 ══════╩══════ wgveth2 ── wgveth3 ── host c
#   10.77.1.1      (tap)           (af_xdp)            10.77.1.2
#
# Nothing else of this machine is touched.

space=wakegate-demo-$$
folder=$(mktemp -d /tmp/wakegate-demo-XXXXXX)
gateway_pid=

# in_space a|b|c|gateway COMMAND...; nsenter, as `ip netns exec` would hide /sys/fs/cgroup.
in_space() { nsenter --net="/run/netns/$space-$1" "${@:2}"; }

ctl() { bazel-bin/gateway/ctl/wakegatectl --address "$folder/run/api.sock" "$@"; }

# eventually SECONDS COMMAND...: whether it succeeded within that time.
eventually() {
  local deadline=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    [ $SECONDS -lt $deadline ] || return 1
    sleep 0.1
  done
}

make_spaces() {
  local name
  for name in a b c gateway; do
    ip netns add "$space-$name"
    # No router solicitations and the like: what moves is what the demo sends.
    in_space "$name" sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1
    ip -n "$space-$name" link set lo up
  done
  connect_by_veth wgveth0 b wgveth1 10.77.0.2
  connect_by_veth wgveth2 c wgveth3 10.77.1.2
}

# connect_by_veth DEVICE HOST ITS_DEVICE ADDRESS: the gateway with a host.
connect_by_veth() {
  ip -n "$space-gateway" link add "$1" type veth peer name "$3" netns "$space-$2"
  ip -n "$space-$2" address add "$4/24" dev "$3"
  ip -n "$space-$2" link set "$3" up
}

start_gateway() {
  # Not in_space: $! would be the shell that runs the function.
  nsenter --net="/run/netns/$space-gateway" bazel-bin/gateway/launcher/wakegate \
    --run-dir "$folder/run" --state-dir "$folder/state" 2>"$folder/log" &
  gateway_pid=$!
  eventually 30 ctl get ports || {
    echo "demo: the gateway did not come up:" >&2
    cat "$folder/log" >&2
    return 1
  }
}

# The taps are in the gateway's namespace once the configuration is applied; ports follow them.
connect_host_a() {
  local number
  for number in 0 1; do
    ip -n "$space-gateway" link set "wgtap$number" netns "$space-a"
    ip -n "$space-a" address add "10.77.$number.1/24" dev "wgtap$number"
    ip -n "$space-a" link set "wgtap$number" up
  done
}

# Ends the gateway as an operator would; fails if it did not end cleanly.
stop_gateway() {
  [ -n "$gateway_pid" ] || return 0
  local pid=$gateway_pid
  gateway_pid=
  kill -TERM "$pid" 2>/dev/null || true
  wait "$pid"
}

remove_all() {
  local name
  stop_gateway || true
  for name in a b c gateway; do
    ip netns pids "$space-$name" 2>/dev/null | xargs -r kill -KILL
    ip netns delete "$space-$name" 2>/dev/null || true
  done
  rm -rf "$folder"
}
