#!/bin/sh
# Stands in for the docker command where no engine runs: a "container" is a redis-server of this machine, its state the
# folder STATE/NAME. Knows only what DockerHost uses, and fails on anything else.
set -eu
state=${0%/*}/containers
mkdir -p "$state"

name_of() { for last; do :; done; echo "$last"; }
begin() {
  # The output must not be the caller's pipe or file: the caller waits for its end.
  (cd "$state/$1" && exec redis-server --daemonize no --port "$(cat port)" --dir . $(cat options)) \
    </dev/null >>"$state/$1/log" 2>&1 &
  echo $! >"$state/$1/pid"
}
pid() { cat "$state/$1/pid"; }
alive() { kill -0 "$(pid "$1")" 2>/dev/null && ! grep -q '^State:.*Z' "/proc/$(pid "$1")/status"; }

command=$1
shift
name=$(name_of "$@")
case $command in
  info) ;;
  run)
    [ "$1 $2" = "-d --name" ] && [ "$4" = -p ] || exit 64
    name=$3 port=${5#127.0.0.1:}
    [ "${port#*:}" = 6379 ] && [ "$6 $7" = "redis:7 redis-server" ] || exit 64
    shift 7
    mkdir "$state/$name"
    echo "${port%:*}" >"$state/$name/port"
    # The one empty argument is that of --save.
    for option; do printf '%s ' "${option:-''}"; done | sed "s/--save ''//" >"$state/$name/options"
    begin "$name"
    ;;
  inspect) [ -d "$state/$name" ] && { alive "$name" && echo true || echo false; } ;;
  start) begin "$name" ;;
  pause) kill -STOP "$(pid "$name")" ;;
  unpause) kill -CONT "$(pid "$name")" ;;
  kill) kill -KILL "$(pid "$name")" && while alive "$name"; do sleep 0.01; done ;;
  stop) kill -TERM "$(pid "$name")" && while alive "$name"; do sleep 0.01; done ;;
  logs) cat "$state/$name/log" ;;
  rm)
    kill -KILL "$(pid "$name")" 2>/dev/null || true
    rm -rf "${state:?}/$name"
    ;;
  *) exit 64 ;;
esac
