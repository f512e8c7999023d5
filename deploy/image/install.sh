#!/bin/sh
# Installs drs for the image: `install.sh FOLDER`, where FOLDER has the package that `npm run build` makes. The Dockerfile runs it.
set -eu
packages=$1

# Fonts and certificates; LibreOffice makes documents quicker and truer than its WebAssembly build, and is 400 MB.
apt-get update -qq
apt-get install -y -qq --no-install-recommends ca-certificates fonts-dejavu-core ${DRS_IMAGE_PACKAGES:-}
rm -rf /var/lib/apt/lists/*

# Scripts of packages are not run. npm brings nothing that drs needs of its own cache.
npm install --global --ignore-scripts --no-audit --no-fund --prefix /opt/drs "$packages"/drs-*.tgz
rm -rf /root/.npm /root/.cache

# An account without a shell, and the only folder that it may write besides /tmp.
groupadd --gid 10001 drs
useradd --uid 10001 --gid 10001 --home-dir /data --no-create-home --shell /usr/sbin/nologin drs
mkdir -p /data
chown drs:drs /data
chmod 0700 /data
