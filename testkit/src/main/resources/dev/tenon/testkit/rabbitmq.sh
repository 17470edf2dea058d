# A RabbitMQ node in the foreground with a port mapper (epmd) of its own, so that none is left behind on the default port.
#
#   rabbitmq.sh PROGRAM          what the node is told is in the environment
#
# TERM ends the node in order, and the mapper after it. The script is the parent of both: whoever kills the family has both.

epmd -port "$ERL_EPMD_PORT" -address 127.0.0.1 &
mapper=$!
# A node that finds no mapper starts one that nobody would end.
until epmd -port "$ERL_EPMD_PORT" -names >/dev/null 2>&1; do
  kill -0 "$mapper" 2>/dev/null || exit 1
  sleep 0.05
done

# Set, it makes the script become the node itself, which then gets our signal.
RUNNING_UNDER_SYSTEMD=true "$1" &
node=$!
trap 'kill -TERM "$node"' TERM
# Interrupted by the trap the first time.
wait "$node"
while kill -0 "$node" 2>/dev/null; do wait "$node"; done
kill "$mapper"
wait "$mapper" 2>/dev/null
exit 0
