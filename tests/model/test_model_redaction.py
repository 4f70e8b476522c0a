"""Nothing of people survives in what is saved; every fact that decides something does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version

from dlsetup.model.codec import encode
from dlsetup.model.machine import (
    Distribution,
    Driver,
    Environment,
    Gap,
    Gpu,
    Library,
    Machine,
    Owner,
    Sighting,
    System,
    Tool,
    Variable,
)
from dlsetup.model.record import Unknown
from dlsetup.model.redaction import redact, redact_text
from dlsetup.model.versions import ComputeCapability, CudaVersion, DriverRelease

HOME, USER, HOST = "/home/ada.lovelace", "ada.lovelace", "enchantress.example.org"
places = st.sampled_from(
    [
        f"{HOME}/envs/vision",
        f"{HOME}",
        f"/mnt/{USER}/data",
        f"ssh://{USER}@{HOST}/x",
        f"found on {HOST}",
        "on enchantress",
        "/opt/cuda",
    ]
)
machines = st.builds(
    lambda texts: Machine(
        environments=(Environment(path=texts[0], kind="venv", name=texts[1]),),
        tools=(Tool(name="uv", path=texts[2]),),
        variables=(Variable(name="LD_LIBRARY_PATH", value=":".join(texts)),),
        sightings=(Sighting(fact="driver.module", value=texts[3], source=texts[0]),),
        gaps=(Gap(fact="docker.engine", reason=texts[1], ask=texts[2]),),
    ),
    st.lists(places, min_size=4, max_size=4),
)


@given(machines)
def test_no_name_survives(machine: Machine) -> None:
    text = encode(redact(machine, home=HOME, user=USER, hostname=HOST)).decode()
    assert not [word for word in (HOME, USER, HOST, "enchantress") if word in text]


@given(machines)
def test_a_second_time_changes_nothing(machine: Machine) -> None:
    once = redact(machine, home=HOME, user=USER, hostname=HOST)
    assert redact(once, home=HOME, user=USER, hostname=HOST) == once


def test_facts_stay() -> None:
    machine = Machine(
        system=System(os="linux", name="Ubuntu 22.04.5 LTS", arch="x86_64"),
        driver=Driver(module=DriverRelease("535.129.03"), cuda_ceiling=CudaVersion("12.2")),
        gpus=(Gpu(vendor="nvidia", name="NVIDIA H100", compute_capability=ComputeCapability("9.0")),),
        variables=(Variable(name="CUDA_VISIBLE_DEVICES", value="0,1"),),
    )
    assert redact(machine, home="/root", user="root", hostname="gpu-7") == machine


def test_secrets_and_serial_numbers_go() -> None:
    value = "https://bob:hunter2@mirror.example/x GPU-0fe2a1b3-1111-2222-3333-444455556666 hf_abcdefghijkl"
    machine = Machine(variables=(Variable(name="CUDA_VISIBLE_DEVICES", value=value),))
    text = encode(redact(machine, home="/h", user="u", hostname="h")).decode()
    assert "hunter2" not in text
    assert "0fe2a1b3" not in text
    assert "hf_abc" not in text


def test_a_short_user_name_is_replaced_in_paths_only() -> None:
    machine = Machine(tools=(Tool(name="ai", path="/srv/ai/bin/ai-tool"),))
    clean = redact(machine, home="/home/x", user="ai", hostname="")
    assert clean.tools == (Tool(name="ai", path="/srv/<user>/bin/ai-tool"),)


@pytest.mark.parametrize("user", ["linux", "nvidia", "torch", "ubuntu", "wheel", "x86_64"])
def test_a_user_called_like_a_fact_changes_none(user: str) -> None:
    site = f"/home/{user}/.venv/lib/python3.12/site-packages"
    torch = Distribution(name="torch", version=Version("2.9.1"), variant="cu126", location=site)
    machine = Machine(
        system=System(os="linux", name="Ubuntu 22.04.5 LTS", arch="x86_64"),
        gpus=(Gpu(vendor="nvidia", name="NVIDIA H100"),),
        environments=(Environment(path=f"/home/{user}/.venv", kind="venv", distributions=(torch,)),),
        libraries=(
            Library(
                library="cudnn",
                soname="libcudnn.so.9",
                path=f"{site}/nvidia/cudnn/lib/libcudnn.so.9",
                owner=Owner(kind="wheel", name="nvidia-cudnn-cu12"),
            ),
        ),
    )
    clean = redact(machine, home=f"/home/{user}", user=user, hostname=user)
    assert (clean.system, clean.gpus) == (machine.system, machine.gpus)
    assert clean.environment is None
    assert not isinstance(clean.environments, Unknown)
    assert clean.environments[0].path == "~/.venv"
    assert clean.environments[0].distribution("torch") is not None
    assert f"/home/{user}" not in encode(clean).decode()


@pytest.mark.parametrize(
    "line",
    [
        "AWS_SECRET_ACCESS_KEY=hush/hush+1",
        "export WANDB_API_KEY='hush 1'",
        "Authorization: Bearer hush.hush",
        "password: hush",
        "serve --api-key hush --port 8000",
        "login --registry-token 'hush 1'",
        "GET https://example.com/x?a=1&token=hush&b=2",
        "-----BEGIN RSA PRIVATE KEY-----\nhush\nhush\n-----END RSA PRIVATE KEY-----",
        "sent eyJhbGciOiJI.eyJzdWIhush.SflKxwhush",
    ],
)
def test_secrets_go_by_their_names_and_shapes(line: str) -> None:
    clean = redact_text(line, home="", user="", hostname="")
    assert "hush" not in clean
    assert redact_text(clean, home="", user="", hostname="") == clean


@pytest.mark.parametrize("line", ["KeyError: 'layer'", "tokenizers==0.21.0", "monkey: 1", "keyword=3"])
def test_what_only_looks_like_a_secret_stays(line: str) -> None:
    assert redact_text(line, home="", user="", hostname="") == line


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("/home/alice/x.py", "/home/<user>/x.py"),
        ('File "C:\\Users\\Alice Müller\\a.py"', 'File "C:\\Users\\<user>\\a.py"'),
        ("alice@gpu-box-17:~$ ls", "<user>@<host>:~$ ls"),
        ("mail a.b@corp.example.com now", "mail <user>@<host> now"),
        ("inet 10.1.2.3 up", "inet <address> up"),
        ("http://10.1.2.3:8080/x", "http://<address>:8080/x"),
        ("link/ether 0a:1b:2c:3d:4e:5f", "link/ether <address>"),
        ("Serial Number   : 1322520012345", "Serial Number   : <serial>"),
        ("DB_PASSWORD_PROD=abc", "DB_PASSWORD_PROD=<secret>"),
    ],
)
def test_whoever_is_named_in_a_log_is_taken_out(text: str, clean: str) -> None:
    once = redact_text(text, home=HOME, user=USER, hostname=HOST)
    assert once == clean
    assert redact_text(once, home=HOME, user=USER, hostname=HOST) == clean


@pytest.mark.parametrize(
    "text",
    [
        "nvidia-cudnn-cu12==9.1.0.70",
        "cuDNN 9.1.0.70 is needed",
        "torch @ https://download.pytorch.org/whl/cu126/torch.whl",
        "0000:01:00.0 VGA compatible controller",
        "Missing key: layer.0.weight",
        "next token: 12",
    ],
)
def test_what_is_no_name_of_anybody_stays(text: str) -> None:
    assert redact_text(text, home=HOME, user=USER, hostname=HOST) == text
