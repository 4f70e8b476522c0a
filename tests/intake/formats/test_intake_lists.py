"""Lists of packages, files and commands that ask for some, sessions and their like."""

from __future__ import annotations

from dlsetup.intake.formats.commands import commands
from dlsetup.intake.formats.conda_info import conda_info
from dlsetup.intake.formats.conda_lists import conda_list
from dlsetup.intake.formats.issue_forms import form
from dlsetup.intake.formats.listing_files import environment, project
from dlsetup.intake.formats.pip_lists import changes, pins, pip_list, pip_show, poetry
from dlsetup.intake.formats.sessions import labelled, session
from dlsetup.intake.formats.tool_reports import done, lock, mac, table, versions
from dlsetup.intake.page import Page
from dlsetup.intake.reading import Format


def of(parser: Format, about: str, text: str) -> list[object]:
    return [fact.value for fact in parser.parser(Page(text, "x")) if fact.about == about]


def installed(parser: Format, text: str) -> list[tuple[str, str]]:
    return [(item.name, str(item.version)) for item in of(parser, "distribution", text)]  # type: ignore[attr-defined]


def asked(parser: Format, text: str) -> list[tuple[str, str, str]]:
    return [(item.name, item.specifier, item.index) for item in of(parser, "asked", text)]  # type: ignore[attr-defined]


def observed(parser: Format, text: str) -> dict[str, str]:
    return {item.subject: item.value for item in of(parser, "observation", text)}  # type: ignore[attr-defined]


def test_pip_list_of_all_columns_ends_where_the_table_ends() -> None:
    text = (
        "Package      Version      Editable project location\n"
        "------------ ------------ -------------------------\n"
        "torch        2.9.1+cu130\n"
        "mine         0.1.0        /home/me/mine\n"
        "WARNING: pip is old\n"
        "other        1.0\n"
    )
    assert installed(pip_list, text) == [("torch", "2.9.1+cu130"), ("mine", "0.1.0")]


def test_pins_alone_are_installed_and_pins_among_ranges_are_asked_for() -> None:
    assert installed(pins, "numpy==1.26.4\ntorch==2.9.1+cu130\n") == [
        ("numpy", "1.26.4"),
        ("torch", "2.9.1+cu130"),
    ]
    text = "torch==2.2.2\nnumpy\ntransformers>=4.40,<5\n"
    assert installed(pins, text) == []
    assert asked(pins, text) == [
        ("torch", "==2.2.2", ""),
        ("numpy", "", ""),
        ("transformers", ">=4.40,<5", ""),
    ]


def test_pip_show_and_what_uv_changed() -> None:
    assert installed(pip_show, "Name: torch\nVersion: 2.1.0\nSummary: …\n") == [("torch", "2.1.0")]
    assert installed(changes, " - torch==2.11.0+xpu\n + torch==2.12.0\n ~ mine==1.0 (from file:///x)\n") == [
        ("torch", "2.12.0"),
        ("mine", "1.0"),
    ]


def test_conda_list_with_and_without_a_channel() -> None:
    text = (
        "# packages in environment at /opt/conda/envs/dl:\n#\n"
        "pytorch                   1.13.1         cpu_py38h92724a6_0    \n"
        "torchaudio                0.13.1                   py38_cpu    pytorch\n"
        "torch                     2.8.0                    pypi_0    pypi\n"
    )
    found = of(conda_list, "distribution", text)
    assert [(item.name, item.installer, item.variant) for item in found[:2]] == [  # type: ignore[attr-defined]
        ("torch", "conda", "cpu"),
        ("torchaudio", "conda", "cpu"),
    ]
    assert found[2].installer == "pip"  # type: ignore[attr-defined]
    assert of(conda_list, "environment.path", text) == ["/opt/conda/envs/dl"]


def test_conda_info_tells_the_interpreters_processor_and_virtual_packages() -> None:
    text = "       virtual packages : __unix=0=0\n                          __cuda=12.4=0\n               platform : osx-64\n"
    assert observed(conda_info, text) == {"conda.virtual_packages": "__unix=0=0 __cuda=12.4=0"}
    assert of(conda_info, "environment.arch", text) == ["x86_64"]


def test_commands_of_every_kind() -> None:
    text = (
        "$ pip install torch==2.9.0 torchvision --index-url https://download.pytorch.org/whl/cu130\n"
        "PS C:\\app> .\\python_embeded\\python.exe -m pip install --upgrade torch\n"
        "RUN conda install -y pytorch==1.9.0 \\\n    cudatoolkit=11.3 -c pytorch && echo done\n"
        "mamba create -n dl 'jaxlib=*=*cuda118*' jax\n"
        "pip install flash_attn-2.5.5+cu118torch2.2cxx11abiTRUE-cp38-cp38-linux_x86_64.whl\n"
        "I tried to pip install it but nothing helped\n"
    )
    cu130 = "https://download.pytorch.org/whl/cu130"
    found = asked(commands, text)
    assert found[:5] == [
        ("torch", "==2.9.0", cu130),
        ("torchvision", "", cu130),
        ("torch", "", ""),
        ("torch", "==1.9.0", "pytorch"),
        ("cudatoolkit", "=11.3", "pytorch"),
    ]
    assert ("jaxlib", "=*=*cuda118*", "") in found
    assert any(name == "flash-attn" and specifier.startswith("==2.5.5+cu118") for name, specifier, _ in found)


def test_an_environment_file_asks_and_an_exported_one_shows() -> None:
    text = "name: dl\nchannels: [pytorch, nvidia]\ndependencies:\n  - pytorch=2.6*\n  - pip:\n    - einops==0.8.0\n"
    assert asked(environment, text) == [("torch", "=2.6*", "pytorch"), ("einops", "==0.8.0", "")]
    exported = (
        "channels:\n  - pytorch\ndependencies:\n  - pytorch=1.9.0=py3.8_cpu_0\n  - python=3.8.12=h900ac77_2\n"
    )
    assert ("torch", "1.9.0") in installed(environment, exported)
    assert asked(environment, exported) == []


def test_a_project_asks_and_names_indexes() -> None:
    text = '[project]\ndependencies = ["torch>=2.2", "numpy"]\n[[tool.uv.index]]\nname = "pytorch-cu128"\n'
    assert asked(project, text) == [("torch", ">=2.2", ""), ("numpy", "", "")]
    assert observed(project, text) == {"pyproject.tool.uv.index": "there"}


def test_sessions_pair_each_question_with_its_answer() -> None:
    text = (
        ">>> torch.__version__, torch.version.cuda, torch.cuda.is_available()\n('2.1.2+cu121', '12.1', True)\n"
        ">>> tf.config.list_physical_devices('GPU')\n[]\n"
        "$ python -c 'import torch; print(torch.version.hip, torch.xpu.is_available())'\nNone False\n"
    )
    assert observed(session, text) == {
        "torch.__version__": "2.1.2+cu121",
        "torch.version.cuda": "12.1",
        "torch.cuda.is_available": "True",
        "tensorflow.config.list_physical_devices": "[]",
        "torch.version.hip": "None",
        "torch.xpu.is_available": "False",
    }
    assert observed(labelled, "CUDA AVAILABLE: False\n") == {"torch.cuda.is_available": "False"}


def test_reports_of_libraries_tables_locks_and_installs() -> None:
    text = "- PyTorch version (GPU?): 2.4.0+cpu (False)\n- `Accelerate` version: 0.33.0\n"
    assert observed(versions, text) == {"torch.__version__": "2.4.0+cpu", "torch.cuda.is_available": "False"}
    assert ("accelerate", "0.33.0") in installed(versions, text)
    assert installed(versions, "### TensorFlow version\n2.13\n") == [("tensorflow", "2.13")]
    assert installed(table, "| Package | Version |\n|--|--|\n| onnxruntime | 1.23.2 |\n") == [
        ("onnxruntime", "1.23.2")
    ]
    assert installed(lock, '[[package]]\nname = "numpy"\nversion = "2.2.6"\n') == [("numpy", "2.2.6")]
    assert installed(done, "Successfully installed torch-2.7.1 nvidia-cudnn-cu12-9.6.0.74") == [
        ("torch", "2.7.1"),
        ("nvidia-cudnn-cu12", "9.6.0.74"),
    ]
    assert [str(item) for item in of(mac, "system.release", "ProductVersion:\t12.7.6\n")] == ["12.7.6"]


def test_a_whole_table_is_complete_and_an_excerpt_is_not() -> None:
    head = "Package Version\n------- -------\n"
    assert of(parser=pip_list, about="environment.complete", text=f"{head}jax 0.6.1\npip 25.0\n") == [True]
    assert of(parser=pip_list, about="environment.complete", text=f"{head}jax 0.6.1\njaxlib 0.6.1\n") == []


def test_what_an_installer_took_away_again_is_not_there() -> None:
    text = " + torch==2.11.0+xpu\n + triton-xpu==3.7.0\n - torch==2.11.0+xpu\n + torch==2.7.1\n - triton-xpu==3.7.0\n"
    assert installed(changes, text) == [("torch", "2.7.1")]


def test_poetry_says_what_it_installs() -> None:
    text = "  - Installing torch (2.8.0)\n  • Updating numpy (1.26.4 -> 2.1.0)\n"
    assert installed(poetry, text) == [("torch", "2.8.0"), ("numpy", "2.1.0")]


def test_a_form_tells_versions_under_its_headings() -> None:
    text = "### Tensorflow Version\n\nv2.11.0-rc2-15-g6290819256d 2.11.0\n**Python version**\n3.9\n### Logs\n2.1.0\n"
    assert installed(form, text) == [("tensorflow", "2.11.0")]
    assert [str(item) for item in of(form, "environment.python", text)] == ["3.9"]
