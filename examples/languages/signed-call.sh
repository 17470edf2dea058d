#!/bin/sh
# Runs a CGI program for signed calls only, with the call's body as its input; others are answered with 401.
# usage, by a server that speaks CGI: CALL_SECRETS="whsec_… …" signed-call.sh PROGRAM [ARGUMENT...]
# Needs openssl, base64 and od.
set -eu

# tag::verify[]
refuse() {
  printf 'Status: 401 Unauthorized\r\nContent-Type: text/plain\r\n\r\nonly signed calls are taken here\n'
  exit 0
}

# HMAC by hand (RFC 2104): as an argument of openssl's, the key would be shown to whoever lists the processes.
xored() { # HEX BYTE
  rest=$1
  while [ -n "$rest" ]; do
    printf "\\$(printf %03o $((0x${rest%"${rest#??}"} ^ $2)))"
    rest=${rest#??}
  done
}
sha256() { openssl dgst -sha256 -binary; }
hmac() { # KEY, 64 bytes in hex; the text is the input
  { xored "$1" 0x5c; { xored "$1" 0x36; cat; } | sha256; } | sha256 | base64
}

id=${HTTP_TENON_GID-}/$(printf %s "${HTTP_TENON_BRANCH-}" | sed 's|/|%2F|g; s|\.|%2E|g')/${HTTP_TENON_OPERATION-}
[ "${HTTP_WEBHOOK_ID-}" = "$id" ] || refuse
sent=${HTTP_WEBHOOK_TIMESTAMP-}
case $sent in '' | *[!0-9]* | ?????????????*) refuse ;; esac
now=$(date +%s)
[ "$sent" -ge $((now - 300)) ] && [ "$sent" -le $((now + 300)) ] || refuse

body=$(mktemp)
trap 'rm -f "$body"' EXIT
head -c "${CONTENT_LENGTH:-0}" >"$body"
set -f
signed=
for secret in $CALL_SECRETS; do # two, while one is replaced
  key=$(printf %s "${secret#whsec_}" | base64 -d | od -An -v -tx1 | tr -d ' \n')
  wanted=$({ printf %s "$id.$sent." && cat "$body"; } | hmac "$(printf %-128s "$key" | tr ' ' 0)")
  for given in ${HTTP_WEBHOOK_SIGNATURE-}; do # hashes are compared, so that the time that it takes tells nothing
    [ "$(printf %s "$given" | sha256 | base64)" = "$(printf %s "v1,$wanted" | sha256 | base64)" ] && signed=yes
  done
done
[ -n "$signed" ] || refuse
"$@" <"$body"
# end::verify[]
