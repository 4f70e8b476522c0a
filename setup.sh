#!/bin/sh
# Installs dlsetup from this folder into ./.venv beside this file, then runs it with the words that follow.
#
#     sh setup.sh create env demo jax     makes and checks an environment in ./demo
#     sh setup.sh doctor                  any command of dlsetup
#     sh setup.sh test [pytest words]     runs the tests
#
# It needs Python 3.10 or newer. On Debian and Ubuntu it installs python3-venv where that is missing.
# pip's own configuration (index, proxy, certificates) is used as it is.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
venv=$here/.venv
stamp=$venv/.installed

say() { printf 'setup: %s\n' "$*" >&2; }
stop() {
    say "$1"
    [ $# -lt 2 ] || printf 'hint: %s\n' "$2" >&2
    exit "${3:-5}"
}

new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; }

# Prints the first Python that is new enough.
find_python() {
    for name in python3 python3.14 python3.13 python3.12 python3.11 python3.10; do
        if command -v "$name" >/dev/null 2>&1 && new_enough "$name"; then
            echo "$name"
            return
        fi
    done
    return 1
}

# Installs Debian packages; says so before, and asks for rights only where they are needed.
apt_install() {
    command -v apt-get >/dev/null 2>&1 ||
        stop "this machine lacks: $*" "install it with the package manager of this system, then run the same command again."
    if [ "$(id -u)" -eq 0 ]; then
        as_root=
    elif command -v sudo >/dev/null 2>&1; then
        as_root=sudo
    else
        stop "this machine lacks: $*" "as root: apt-get install $*"
    fi
    say "installing $* with apt-get${as_root:+ (through sudo)}"
    log=$(mktemp)
    if $as_root apt-get update -q >"$log" 2>&1 &&
        $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@" >>"$log" 2>&1; then
        rm -f "$log"
    else
        tail -n 15 "$log" >&2
        stop "apt-get could not install $*" "the lines above say why; all of them are in $log."
    fi
}

make_venv() {
    python=$(find_python) || {
        command -v python3 >/dev/null 2>&1 &&
            stop "no Python 3.10 or newer was found." "install a newer Python; python3 here is $(python3 --version 2>&1)."
        apt_install python3 python3-venv ca-certificates
        python=$(find_python) || stop "no Python 3.10 or newer was found." "this system's Python is too old; install a newer one."
    }
    "$python" -c 'import ensurepip, venv' 2>/dev/null || apt_install "$python-venv"
    say "making $venv"
    "$python" -m venv --clear "$venv"
}

pip_install() { "$venv/bin/python" -m pip install -qq --disable-pip-version-check "$@" >&2; }

# What was installed, and from which description: a second run with the same answer does nothing.
wanted() { cksum <"$here/pyproject.toml"; }
done_already() { [ -f "$stamp" ] && [ "$(sed -n 1p "$stamp")" = "$(wanted)" ] && grep -qx "$1" "$stamp"; }

install() {
    "$venv/bin/python" -c 'import pip' 2>/dev/null || make_venv
    done_already dlsetup && return
    say "installing dlsetup and what it needs"
    pip_install -e "$here" || stop "pip could not install dlsetup." "the lines above say why; behind a proxy or mirror, pip's configuration is used." 3
    printf '%s\ndlsetup\n' "$(wanted)" >"$stamp"
}

install_tests() {
    done_already tests && return
    say "installing what the tests need"
    pip_install 'pip>=25.1' || stop "pip could not renew itself." "the lines above say why." 3
    (cd "$here" && pip_install --group test) || stop "pip could not install what the tests need." "the lines above say why." 3
    echo tests >>"$stamp"
}

install
case ${1:-} in
test)
    shift
    install_tests
    cd "$here"
    exec "$venv/bin/python" -m pytest "$@"
    ;;
*)
    exec "$venv/bin/dlsetup" "$@"
    ;;
esac
