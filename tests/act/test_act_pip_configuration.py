"""A mirror that only pip knows of is used by uv; what uv was told stays."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dlsetup.act.pip_configuration import from_pip
from dlsetup.act.uv import find_uv

UV = find_uv(os.environ)
MIRROR = "https://mirror.example/simple"


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """A user with an empty home, who stands in it."""
    return {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "XDG_CONFIG_HOME": str(tmp_path / "config")}


def pip_conf(environ: dict[str, str], text: str) -> None:
    path = Path(environ["HOME"]) / "pip.conf"
    path.write_text(text)
    environ["PIP_CONFIG_FILE"] = str(path)


def test_mirror_in_a_file_of_pip(environ: dict[str, str]) -> None:
    pip_conf(environ, f"[global]\nindex-url = https://old.example\n[install]\nindex-url = {MIRROR}\n")
    assert from_pip(UV, environ)["UV_DEFAULT_INDEX"] == MIRROR


def test_variable_of_pip_wins_over_its_files(environ: dict[str, str]) -> None:
    pip_conf(environ, "[global]\nindex-url = https://old.example\n")
    environ["PIP_INDEX_URL"] = MIRROR
    assert from_pip(UV, environ)["UV_DEFAULT_INDEX"] == MIRROR


def test_certificates_and_folders_of_wheels(environ: dict[str, str]) -> None:
    pip_conf(environ, "[global]\ncert = /ca.pem\nfind-links =\n  /wheels\n  /more\n")
    found = from_pip(UV, environ)
    assert found["SSL_CERT_FILE"] == "/ca.pem"
    assert found["UV_FIND_LINKS"] == "/wheels,/more"


def test_what_uv_was_told_by_variable_stays(environ: dict[str, str]) -> None:
    pip_conf(environ, f"[global]\nindex-url = {MIRROR}\ncert = /ca.pem\n")
    environ.update(UV_DEFAULT_INDEX="https://uv.example/simple", SSL_CERT_FILE="/own.pem")
    assert from_pip(UV, environ) == {}


def test_what_uv_was_told_by_an_old_variable_or_a_file_stays(environ: dict[str, str]) -> None:
    pip_conf(environ, f"[global]\nindex-url = {MIRROR}\n")
    assert "UV_DEFAULT_INDEX" not in from_pip(UV, {**environ, "UV_INDEX_URL": "https://uv.example/simple"})
    folder = Path(environ["XDG_CONFIG_HOME"]) / "uv"
    folder.mkdir(parents=True)
    (folder / "uv.toml").write_text('[[index]]\nurl = "https://uv.example/simple"\ndefault = true\n')
    assert "UV_DEFAULT_INDEX" not in from_pip(UV, environ)


def test_extra_indexes_are_not_taken_over(environ: dict[str, str]) -> None:
    pip_conf(environ, "[global]\nextra-index-url = https://extra.example/simple\n")
    assert from_pip(UV, environ).keys() <= {"SSL_CERT_FILE", "UV_FIND_LINKS", "UV_DEFAULT_INDEX"}


def test_malformed_file_is_passed_over(environ: dict[str, str]) -> None:
    pip_conf(environ, "index-url without a section \0")
    assert "UV_DEFAULT_INDEX" not in from_pip(UV, {**environ, "PIP_CONFIG_FILE": os.devnull})
    from_pip(UV, environ)


def test_pip_without_files(environ: dict[str, str]) -> None:
    assert from_pip(UV, {**environ, "PIP_CONFIG_FILE": os.devnull}) == {}
