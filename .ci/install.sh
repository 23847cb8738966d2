#!/bin/sh
# Installs autopilot from a release: sh install.sh [--from DIR-OR-URL] [--prefix DIR]
#   --from     where the archives and SHA256SUMS are; the folder of this script without it
#   --prefix   where to install to; ~/.local without it
# It installs nothing unless the sum of the archive is the one in SHA256SUMS.
set -eu

die() {
	echo "install.sh: $*" >&2
	exit 1
}

from=$(dirname "$0")
prefix=${HOME:+$HOME/.local}
while [ $# -gt 0 ]; do
	case $1 in
	--from | --prefix)
		[ $# -ge 2 ] && [ -n "$2" ] || die "$1 needs a value"
		if [ "$1" = --from ]; then from=$2; else prefix=$2; fi
		shift 2
		;;
	-h | --help)
		sed -n '2,5s/^# \{0,1\}//p' "$0"
		exit 0
		;;
	*) die "unknown argument $1; see --help" ;;
	esac
done
[ -n "$prefix" ] || die "HOME is not set: say where with --prefix DIR"

os=$(uname -s | tr '[:upper:]' '[:lower:]')
case $(uname -m) in
x86_64 | amd64) arch=amd64 ;;
aarch64 | arm64) arch=arm64 ;;
*) die "there is no archive for $os on $(uname -m)" ;;
esac

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT INT TERM

fetch() { # NAME
	case $from in
	http://* | https://*) curl -fsSL -o "$tmp/$1" "$from/$1" || die "$from/$1 cannot be fetched" ;;
	*) cp "$from/$1" "$tmp/$1" 2>/dev/null || die "$from/$1 is not there: say where the archives are with --from" ;;
	esac
}

fetch SHA256SUMS
found=$(sed -n "s/^[0-9a-f]\{64\} [ *]\(autopilot-.*-$os-$arch\.tar\.gz\)\$/\1/p" "$tmp/SHA256SUMS")
case $found in
'') die "SHA256SUMS names no archive for $os on $arch" ;;
*/* | *"
"*) die "SHA256SUMS names more than one archive for $os on $arch, or one elsewhere: $found" ;;
esac
fetch "$found"
want=$(sed -n "s/^\([0-9a-f]\{64\}\) [ *]$found\$/\1/p" "$tmp/SHA256SUMS")
if command -v sha256sum >/dev/null; then
	is=$(sha256sum "$tmp/$found")
else
	is=$(shasum -a 256 "$tmp/$found")
fi
[ "${is%% *}" = "$want" ] || die "$found is not what SHA256SUMS says: it has the sum ${is%% *}, want $want"

tar -C "$tmp" -xzf "$tmp/$found"
dir=$tmp/${found%.tar.gz}
mkdir -p "$prefix/bin"
for program in apctl autopilotd apshim; do
	# Beside it and then in its place: a running program is not written to.
	cp "$dir/bin/$program" "$prefix/bin/.$program.new"
	chmod 755 "$prefix/bin/.$program.new"
	mv -f "$prefix/bin/.$program.new" "$prefix/bin/$program"
done
mkdir -p "$prefix/share"
cp -R "$dir/share/." "$prefix/share/"
echo "installed $("$prefix/bin/apctl" version | sed -n 1p) to $prefix/bin"
case :$PATH: in
*":$prefix/bin:"*) ;;
*) echo "$prefix/bin is not on your PATH. Add it:
  export PATH=\"$prefix/bin:\$PATH\"" ;;
esac
