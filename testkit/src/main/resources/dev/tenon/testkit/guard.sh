# Sees to it that no child process of a test JVM outlives it, however the JVM ends, kill -9 included.
#
#   guard.sh run FOLDER REACH CMD...
#                                becomes CMD (same process ID), after noting ID, start time and reach in FOLDER/pid
#   guard.sh watch ROOT          waits until its standard input, a pipe that the JVM holds, is closed; then, for each
#                                folder in ROOT: kills the process noted there (with its children if
#                                its reach is FAMILY: another JVM has a guard of its own for them), runs the folder's
#                                `cleanup` script if there is one, and in the end removes ROOT
#
# A death signal (prctl PR_SET_PDEATHSIG) is not used: it comes when the *thread* that started the child ends, it does
# not remove files or containers, and only Linux has it. The start time is compared before a kill, because the ID of a
# child that is long gone may belong to a stranger by now. Whoever is stopped (SIGSTOP) dies as well.

started() {
  if [ -r "/proc/$1/stat" ]; then
    stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 0
    # Fields are counted behind the command's name, which may hold blanks: the 20th is the start time.
    set -f; set -- ${stat##*) }; set +f
    shift 19 2>/dev/null && echo "$1"
  elif [ ! -d /proc/self ]; then
    ps -o lstart= -p "$1" | tr -d ' :'
  fi
}

children() {
  cat /proc/"$1"/task/*/children 2>/dev/null || pgrep -P "$1" 2>/dev/null
}

kill_noted() {
  pid='' at='' reach=''
  read -r pid at reach <"$1" || return 0
  [ -n "$pid" ] && [ -n "$at" ] && [ "$(started "$pid")" = "$at" ] || return 0
  offspring=''
  [ "$reach" = FAMILY ] && offspring=$(children "$pid")
  kill -9 "$pid" $offspring 2>/dev/null
}

watch() {
  trap '' INT TERM HUP
  while read -r _; do :; done
  # Twice: a child that was just being started may not have noted itself at the first pass.
  for pass in 1 2; do
    for folder in "$1"/*/; do
      [ -d "$folder" ] || continue
      [ -f "${folder}pid" ] && kill_noted "${folder}pid"
      [ -f "${folder}cleanup" ] && sh "${folder}cleanup" >/dev/null 2>&1
    done
    [ "$pass" = 2 ] || [ -z "$(ls "$1" | grep -v '^guard.sh$')" ] || sleep 0.3
  done
  rm -rf "$1"
}

main() {
  mode=$1 place=$2
  shift 2
  case $mode in
    run)
      echo "$$ $(started $$) $1" >"$place/pid"
      shift
      exec "$@"
      ;;
    watch) watch "$place" ;;
  esac
}

# On one line: the script may be gone before the shell reads on.
main "$@"; exit
