#!/usr/bin/env bash
# tests/install/check_install.sh BUILD SOURCE WORK: installs, moves the tree, and uses it from outside: program, headers, examples/cpp
set -euo pipefail
build=$1 source=$2 work=$3
rm -rf "$work"
mkdir -p "$work/here"
cmake --install "$build" --prefix "$work/installed" >"$work/install.log"
mv "$work/installed" "$work/moved"
cd "$work/here"

for file in include/mottle/mottle.h share/doc/mottle/LICENSE; do
    [ -f "$work/moved/$file" ] || { echo "not installed: $file"; exit 1; }
done
if find "$work/moved/include" -type f ! -name '*.h' ! -name '*.def' | grep .; then
    echo "only headers and the tables that they include (.def) belong into include/"
    exit 1
fi

if [ -x "$build/bin/mottle" ]; then
    "$work/moved/bin/mottle" models >models.txt
    "$build/bin/mottle" models | cmp - models.txt
    "$work/moved/bin/mottle" devices >devices.txt
    "$build/bin/mottle" devices | cmp - devices.txt
    loaded=$(ldd "$work/moved/bin/mottle" | sed -n 's/.*libmottle[^ ]* => \([^ ]*\).*/\1/p')
    case $(realpath "$loaded") in
        "$(realpath "$work/moved")"/*) ;;
        *) echo "the moved program loads $loaded"; exit 1 ;;
    esac
fi

# An empty entry would have the loader look for libraries in the current folder.
if command -v readelf >/dev/null; then
    find "$work/moved" "$build/lib" -type f \( -name '*.so*' -o -path '*/bin/mottle' \) | while read -r file; do
        ! readelf -d "$file" | grep -E 'R(UN)?PATH.*(\[:|::|:\])' || { echo "a run path with an empty entry: $file"; exit 1; }
    done
fi

# Installed headers need nothing but each other and the standard library, and each compiles alone: that of a source file stands first in it, which the
# architecture test sees to; the others are compiled here.
check="c++ -std=c++20 -Wall -Wextra -Werror -fsyntax-only -I $work/moved/include -x c++"
(cd "$work/moved/include" && find . -name '*.h' | sort) >headers.txt
sed 's/.*/#include "&"/' headers.txt >all.cpp
$check -I "$work/moved/include" all.cpp
while read -r header; do
    [ -f "$source/src/${header%.h}.cpp" ] || $check -include "$header" /dev/null || { echo "does not stand alone: $header"; exit 1; }
done <headers.txt

cmake -S "$source/examples/cpp" -B example -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$work/moved" >configure.log
cmake --build example >build.log
./example/front | tee front.txt
grep -Eq '^after 500 steps the front covers [0-9.]+ % of the grid$' front.txt
if grep -q 'PNG_FOUND:INTERNAL=\|PNG_LIBRARY_RELEASE:FILEPATH=/' "$build/CMakeCache.txt"; then [ -s front.png ]; fi

# the C interface, in C, and the program of docs/c.md in Fortran
cmake -S "$source/examples/c" -B c -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$work/moved" >>configure.log
cmake --build c >>build.log
./c/cells | tee cells.txt
awk '/^eaten/ { eaten = $2; gone = $4 } END { exit !(eaten > 1 && (eaten - gone)^2 < 1e-8) }' cells.txt  # what was eaten is what is gone
libraries=$(dirname "$(find "$work/moved" -name libmottle.so)")
cc -std=c11 -Wall -Wextra -Werror -pedantic -I "$work/moved/include" "$source/examples/c/main.c" -L "$libraries" -lmottle -Wl,-rpath,"$libraries" -o cells
./cells | cmp - cells.txt
if command -v gfortran >/dev/null; then
    sed -n '/^```fortran$/,/^```$/p' "$source/docs/c.md" | sed '/^```/d' >ink.f90
    gfortran -ffree-line-length-none ink.f90 -L "$libraries" -lmottle -Wl,-rpath,"$libraries" -o ink
    ./ink | grep -Eq 'u from +0\.[0-9]+ +to +(0\.[0-9]+|1\.0)'
fi

# the program of docs/library.md, as it stands there
mkdir -p page
cp "$source/examples/cpp/CMakeLists.txt" page/
sed -n '/^```cpp$/,/^```$/p' "$source/docs/library.md" | sed '/^```/d' >page/main.cpp
cmake -S page -B page/build -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$work/moved" >>configure.log
cmake --build page/build >>build.log
./page/build/front | tee page.txt
# a front of u' = D lap(u) + u (1 - u) has passed the middle and left 1 behind
grep -q '^25 1 0\.' page.txt && [ "$(wc -l <page.txt)" -eq 4 ]
echo "The installed tree works."
