#!/usr/bin/env bash
# seal.sh FOLDER REPOSITORY COMMAND…: runs the command on a machine of its own, as far as it can tell.
#
# Called in new network, mount and process namespaces, so that nothing here touches the machine:
# - The network is loopback alone. There is no route to any other address, and the kernel counts each attempt.
# - All names are asked of 127.0.0.1, where the command may listen.
# - Everything is read-only, but for FOLDER and empty folders where programs leave things by themselves.
# - Services of the machine that listen on sockets in /run are out of reach.
set -euo pipefail
folder=$1 repository=$2
shift 2

ip link set lo up

root=$folder/root
mkdir "$root"
mount --rbind / "$root"
findmnt --raw --noheadings --submounts --output TARGET,VFS-OPTIONS "$root" | while read -r target options; do
  case ${target#"$root"} in
    /proc | /proc/* | /sys | /sys/* | /dev | /dev/*) ;;
    # What the mount has been restricted to must be said again, or the kernel refuses to change it.
    *) mount -o "remount,bind,ro,${options#rw,}" "$(printf '%b' "$target")" ;;
  esac
done

for place in /tmp /var/tmp /dev/shm /run; do
  if [ -d "$root$place" ]; then mount -t tmpfs tmpfs "$root$place"; fi
done
# Either may be in a folder that has just been hidden.
mkdir -p "$root$folder" "$root$repository"
mount --bind "$folder" "$root$folder"
mount --rbind "$repository" "$root$repository"
mount -o remount,bind,ro "$root$repository"

replace() {
  local target
  target=$root$(realpath -m "$1")
  mkdir -p "$(dirname "$target")"
  [ -e "$target" ] || touch "$target"
  mount --bind "$2" "$target"
}
echo "nameserver 127.0.0.1" >"$folder/resolv.conf"
replace /etc/resolv.conf "$folder/resolv.conf"
echo "hosts: files dns" >"$folder/nsswitch.conf"
replace /etc/nsswitch.conf "$folder/nsswitch.conf"

exec chroot "$root" "$@"
