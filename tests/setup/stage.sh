# Run one stage of a make target: its heading, its command, and its seconds as a line of build/stages for the report at the end.
#
# usage: sh tests/setup/stage.sh HEADING COMMAND ARGUMENT...
heading=$1
shift
printf '== %s\n' "$heading"
begun=$(date +%s)
"$@"
status=$?
mkdir -p build && printf '%s\t%s\n' "$(($(date +%s) - begun))" "$heading" >>build/stages
exit $status
