#!/bin/sh
# Takes from a stock that a lock guards. Needs curl, and nothing of Tenon's.
# usage: guarded-stock.sh http://127.0.0.1:7700 http://stock.example/stock/42 [TIMES]
set -eu
tenon=$1 stock=$2 times=${3:-1}

fail() {
  echo "$*: $status $answer" >&2
  exit 1
}

# tag::call[]
# call METHOD PATH [JSON]: leaves the server's words in $answer and $status; 000 means that none came.
call() {
  answer=$(curl -s -X "$1" -w '\n%{http_code}' --max-time 60 -H 'Content-Type: application/json' ${3:+-d "$3"} "$tenon$2") || true
  status=${answer##*
}
  answer=${answer%
*}
}

# Asks again while the server is away (000), busy or stopping (503), or lost track (504).
insist() {
  for attempt in $(seq 100); do
    call "$@"
    case $status in 000 | 503 | 504) ;; *) return ;; esac
    echo "asking again, after $status"
    sleep 0.3
  done
  fail "no answer"
}

field() { printf '%s' "$answer" | sed -n 's/.*"'"$1"'":"\{0,1\}\([^",}]*\).*/\1/p'; }
# end::call[]

# tag::ids[]
insist PUT /v1/ids/orders '{"kind":"segment"}' # says so again when it is defined already
case $status in 200 | 201) ;; *) fail "not defined" ;; esac
orders=$(curl -sf -X POST -H 'Accept: text/plain' "$tenon/v1/ids/orders/next?count=$times") # one a line
# end::ids[]

# tag::session[]
insist POST /v1/sessions "{\"ttl\":\"PT30S\",\"owner\":\"guarded-stock.sh, process $$\"}"
[ "$status" = 201 ] || fail "no session"
session=$(field id)
keep_alive() {
  trap 'kill $!; exit' TERM
  while sleep 10 & wait $!; do curl -s --max-time 10 -X POST "$tenon/v1/sessions/$session/keepalive"; done
}
keep_alive >/dev/null 2>&1 &
keeper=$!
trap 'kill $keeper; curl -s -X DELETE "$tenon/v1/sessions/$session"' EXIT # what it still holds ends with it
# end::session[]

for order in $orders; do
  # tag::acquire[]
  # A request ID of its own, and the same each time it is asked: whatever got lost, it is taken once.
  wanted="{\"session\":\"$session\",\"requestId\":\"order-$order\",\"wait\":\"PT30S\"}"
  insist POST /v1/locks/stock%2F42/acquire "$wanted"
  while [ "$(field type)" = urn:tenon:problem:lock-not-acquired ]; do # 409
    echo "still held by $(field owner)"
    insist POST /v1/locks/stock%2F42/acquire "$wanted"
  done
  [ "$status" = 200 ] || fail "no lock"
  token=$(field token)
  # end::acquire[]

  # tag::write[]
  left=$(($(curl -sf "$stock") - 1))
  written=$(curl -s -o /dev/null -w '%{http_code}' -X PUT -H "X-Fencing-Token: $token" -d "$left" "$stock")
  case $written in
    204) echo "order $order took one under token $token" ;;
    412) echo "too late: somebody else holds the lock by now" >&2 && exit 1 ;;
    *) echo "the stock answered $written" >&2 && exit 1 ;;
  esac
  # end::write[]

  # tag::release[]
  insist POST /v1/locks/stock%2F42/release "{\"session\":\"$session\",\"token\":$token}"
  case $status in 200 | 409) ;; *) fail "not released" ;; esac # 409: it was, and the answer got lost
  # end::release[]
done
