#!/bin/sh
# in-root.sh ROOT SOURCE TARGET AUTHORITY COMMAND…: what a container engine does for a step of a build. Called in a mount namespace
# of its own, so that the mounts go with the command.
set -eu
root=$1 source=$2 target=$3 authority=$4
shift 4

mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
for file in /etc/resolv.conf /etc/hosts; do
  touch "$root$file"
  mount --bind "$file" "$root$file"
done
mkdir -p "$root$target"
mount --bind "$source" "$root$target"
mount -t tmpfs tmpfs "$root/run"
if [ -n "$authority" ]; then
  touch "$root/run/authority.crt"
  mount --bind "$authority" "$root/run/authority.crt"
fi
exec chroot "$root" "$@"
