#!/bin/sh
# run.sh ROOT VOLUME PLACE UID:GID NAME=VALUE… COMMAND…: what a container engine does to run an image read-only, with a volume at
# PLACE. Called in mount and process namespaces of its own.
set -eu
root=$1 volume=$2 place=$3 user=$4
shift 4

mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for device in null zero full random urandom; do
  touch "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
mkdir "$root/dev/shm"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mount --bind "$volume" "$root$place"
mount -o remount,bind,ro "$root"
exec chroot --userspec="$user" --groups="" "$root" env -i "$@"
