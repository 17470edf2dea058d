#!/bin/sh
# A server that asks for keys, over TLS, and a service that may use the locks of the shop and nothing else.
# Run it where server.pem, server.key and ca.pem are; docs/server/security.md says how to make them.
set -eu
tenon=${TENON:-./tenon}
port=${PORT:-7700}

# tag::server[]
$tenon key create ops --role admin >ops.key
$tenon key create shop --role use --for locks --prefix shop/ >shop.key

cat >tenon.yaml <<END
api-keys: tenon-keys.json
tls-cert: server.pem
tls-key: server.key
audit-log: audit.log
idle-timeout: 90s
END
$tenon server --config tenon.yaml --port "$port" &
# end::server[]
server=$!
trap 'kill "$server"; wait "$server" || true' EXIT

# tag::client[]
export TENON_SERVER="https://127.0.0.1:$port" TENON_CA_CERT=ca.pem
export TENON_API_KEY="$(cat shop.key)"
until $tenon lock ls shop/; do sleep 1; done
$tenon lock run shop/report -- sh -c 'echo "token $TENON_FENCING_TOKEN"'
$tenon lock run bank/report -- true || echo "not under that name"
# end::client[]
