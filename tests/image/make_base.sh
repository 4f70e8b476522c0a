#!/bin/sh
# Makes a small Debian image with Python and imports it under the name that the Dockerfile asks for,
# where no image registry can be reached. It takes this machine's package mirror, its certificates and
# its pip and uv configuration, so that a build inside reaches the same package index as outside.
#
#     sh tests/image/make_base.sh [NAME]        NAME: python:3.12-slim
#
# Needs root, debootstrap and a Docker engine.
set -eu

name=${1:-python:3.12-slim}
suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-stable}")
mirror=$(apt-get indextargets --format '$(RELEASE) $(SITE)' | awk -v suite="$suite" '$1 == suite {print $2; exit}')
[ -n "$mirror" ] || { echo "make_base: apt knows no mirror of $suite; run apt-get update first" >&2; exit 1; }

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT INT TERM

echo "make_base: debootstrap $suite into an image named $name"
debootstrap --variant=minbase --include=python3,python3-venv,ca-certificates "$suite" "$root" "$mirror" \
    >"$root.log" 2>&1 || { tail -n 20 "$root.log" >&2; exit 1; }
rm -f "$root.log"

keep() { [ ! -e "$1" ] || { mkdir -p "$root$(dirname "$1")" && cp -L "$1" "$root$1"; }; }
keep /etc/ssl/certs/ca-certificates.crt
keep /etc/pip.conf
keep /etc/uv/uv.toml
rm -rf "$root/var/cache/apt/archives" "$root/var/lib/apt/lists" "$root/usr/share/doc" "$root/usr/share/man"
find "$root" -xdev -depth -name __pycache__ -exec rm -rf {} +

tar -C "$root" --exclude=./proc --exclude=./sys --exclude=./dev -c . | docker import --change "ENV SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt" - "$name" >/dev/null
docker image inspect --format '{{.Size}}' "$name" | awk '{printf "make_base: %d MB\n", $1 / 1000000}'
