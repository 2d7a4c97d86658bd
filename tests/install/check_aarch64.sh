#!/usr/bin/env bash
# tests/install/check_aarch64.sh SOURCE WORK: cross-compiles for 64-bit ARM from packed headers alone, and runs unit tests where qemu-user is there
set -euo pipefail
source=$1 work=$2
if ! command -v aarch64-linux-gnu-g++ >/dev/null; then
    echo "[SKIP] no aarch64-linux-gnu-g++ ('./dev setup --all' installs it)"
    [ "${CI:-}" = true ] && exit 1
    exit 77
fi
rm -rf "$work/headers"
"$source/dev" pack-headers "$work/headers"
# Without optimisation, which takes longest and shows nothing new: a Debug build, since a Release build has parts with a level of their own.
cmake -S "$source" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG="-O0 -DNDEBUG" -DCMAKE_TOOLCHAIN_FILE="$source/cmake/aarch64.cmake" \
    -DMOTTLE_HEADERS="$work/headers" -DMOTTLE_WITH_LLVM=OFF -DMOTTLE_WITH_FFMPEG=OFF -DMOTTLE_WITH_EMBREE=OFF -DMOTTLE_BENCHMARKS=OFF
# The IR's tests are left out: ARM decides on underflow before rounding (docs/numerics.md), and emulation is slow.
tests="mottle_unit_core_tests mottle_unit_model_tests"
known=$(ninja -C "$work/build" -t targets all | cut -d: -f1)
targets=mottle_product
for test in $tests; do
    if grep -qx "$test" <<<"$known"; then targets="$targets $test"; fi
done
# shellcheck disable=SC2086
cmake --build "$work/build" --target $targets
readelf -h "$work/build/lib/libmottle.so" | grep AArch64 >/dev/null
if ! command -v qemu-aarch64 >/dev/null; then
    echo "Built; not run, for want of qemu-aarch64."
    [ "${CI:-}" != true ]
    exit
fi
run=(qemu-aarch64 -L /usr/aarch64-linux-gnu)
[ ! -x "$work/build/bin/mottle" ] || "${run[@]}" "$work/build/bin/mottle" models
for test in $tests; do
    [ ! -x "$work/build/tests/$test" ] || (cd "$work" && "${run[@]}" "$work/build/tests/$test" --gtest_brief=1)
done
echo "The aarch64 build works."
