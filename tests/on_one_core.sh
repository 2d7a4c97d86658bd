#!/usr/bin/env bash
# tests/on_one_core.sh COMMAND..: runs a command on one core, which no other command has that was started in this way and folder, if there is such a core
set -euo pipefail
if [ ! -r /proc/self/status ] || ! command -v taskset > /dev/null || ! command -v flock > /dev/null; then exec "$@"; fi
allowed=
while read -r key value; do
    if [ "$key" = Cpus_allowed_list: ]; then allowed=$value; fi  # such as 0-3,8
done < /proc/self/status
cores=()
IFS=, read -ra ranges <<< "$allowed"
for range in "${ranges[@]}"; do
    for ((core = ${range%-*}; core <= ${range#*-}; ++core)); do cores+=("$core"); done
done
chosen=${cores[$(($$ % ${#cores[@]}))]}
for core in "${cores[@]}"; do
    exec 9> "core_$core.lock"
    if LD_PRELOAD='' flock -n 9; then  # until the command ends; a sanitizer that tests are to load looks at them alone
        chosen=$core
        break
    fi
done
exec taskset -c "$chosen" "$@"
