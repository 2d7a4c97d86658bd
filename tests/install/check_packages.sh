#!/usr/bin/env bash
# tests/install/check_packages.sh BUILD WORK: makes the packages; installs Debian's with its own tool, and runs the folder in a root that has glibc alone
set -euo pipefail
build=$1 work=$2
for tool in cpack dpkg-deb dpkg-shlibdeps chroot; do
    command -v "$tool" >/dev/null || { echo "no $tool here"; exit 77; }
done
rm -rf "$work"
mkdir -p "$work"
for generator in DEB TGZ; do
    (cd "$build" && cpack -G "$generator" -B "$work/packages" >"$work/cpack-$generator.log" 2>&1) || { tail -n 30 "$work/cpack-$generator.log"; exit 1; }
done
deb=$(ls "$work"/packages/mottle_*.deb) dev=$(ls "$work"/packages/mottle-dev_*.deb) tar=$(ls "$work"/packages/mottle-*.tar.gz)

# ---- what they hold, and what they need
dpkg-deb -c "$deb" >"$work/contents.txt"
for file in ' ./usr/bin/mottle' usr/lib/libmottle.so usr/lib/mottle/mottle_jit.so share/man/man1/mottle.1 bash-completion/completions/mottle zsh/site-functions/_mottle \
    fish/vendor_completions.d/mottle.fish; do
    grep -q "$file" "$work/contents.txt" || { echo "not in $deb: $file"; exit 1; }
done
! grep -q bundled "$work/contents.txt" || { echo "Debian's package brings its libraries along"; exit 1; }
dpkg-deb -f "$deb" Depends | tee "$work/depends.txt"
for library in libc6 libpng16 libstdc++6; do grep -q "$library" "$work/depends.txt" || { echo "does not depend on $library"; exit 1; }; done
[ ! -f "$build/lib/mottle/mottle_ffmpeg.so" ] || grep -q libavcodec "$work/depends.txt"

# ---- the folder, where nothing is but glibc and a shell
root=$work/bare
mkdir -p "$root"/{bin,lib64,tmp,opt,dev,proc} "$root/lib/x86_64-linux-gnu"
cp -L /lib64/ld-linux-x86-64.so.2 "$root/lib64/"
for library in libc libm libdl librt libpthread libresolv libutil libmvec libanl libnss_files; do
    cp -L "/lib/x86_64-linux-gnu/$library.so".* "$root/lib/x86_64-linux-gnu/" 2>/dev/null || true
done
cp -L /bin/dash "$root/bin/sh"
tar -C "$root/opt" -xzf "$tar"
mv "$root"/opt/mottle-* "$root/opt/mottle"
run_bare() { chroot "$root" /bin/sh -c "export HOME=/tmp; cd /tmp; $1"; }
run_bare true 2>/dev/null || { echo "chroot is not allowed here"; exit 77; }
mount -t proc proc "$root/proc" 2>/dev/null || { echo "no /proc in a root of its own here, by which the loader finds what is beside a program"; exit 77; }
proc=$root/proc
trap 'umount "$proc"' EXIT
run_bare '/opt/mottle/bin/mottle run gray-scott --size 64x48 --steps 60 -o a.npy -o a.png' | tee "$work/bare.txt"
grep -q '^on  *cpu' "$work/bare.txt"  # LLVM is inside
[ ! -f "$build/lib/mottle/mottle_ffmpeg.so" ] || run_bare '/opt/mottle/bin/mottle run gray-scott --size 64x48 --steps 60 -o a.mp4 -o a.gif'
[ ! -f "$build/lib/mottle/mottle_embree.so" ] || run_bare '/opt/mottle/bin/mottle run gray-scott --mesh sphere:3 --steps 10 --pixels 64x48 -o ball.png'
"$build/bin/mottle" run gray-scott --size 64x48 --steps 60 --quiet -o "$work/a.npy"
cmp "$work/a.npy" "$root/tmp/a.npy"

# ---- Debian's package, by dpkg, which knows what is installed here
if [ "$(id -u)" -eq 0 ] && [ -f /var/lib/dpkg/status ]; then
    root=$work/debian
    mkdir -p "$root/var/lib/dpkg"/{info,updates,triggers,parts}
    cp /var/lib/dpkg/status "$root/var/lib/dpkg/"
    cp -r /var/lib/dpkg/info/format "$root/var/lib/dpkg/info/"
    touch "$root/var/lib/dpkg/available"
    dpkg --root="$root" --force-script-chrootless --no-triggers -i "$deb" "$dev" >"$work/dpkg.log" 2>&1 || { tail -n 20 "$work/dpkg.log"; exit 1; }
    "$root/usr/bin/mottle" models | grep gray-scott >/dev/null
    "$root/usr/bin/mottle" run gray-scott --size 64x48 --steps 60 --quiet -o "$work/b.npy"
    cmp "$work/a.npy" "$work/b.npy"
    [ -f "$root/usr/include/mottle/mottle.h" ] && [ -f "$root/usr/include/mottle/c/mottle.h" ]
    bash -c ". '$root/usr/share/bash-completion/completions/mottle' && complete -p mottle" | grep _mottle >/dev/null
fi
echo "The packages work."
