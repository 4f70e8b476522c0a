"""The steps of each kind, by value: exactly for this distribution, processor, GPU, driver and framework."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dlsetup.model.note import Note, NoteStep

Make = Callable[[str, str], Note]


def step(note: Note, name: str) -> NoteStep:
    found = [item for item in note.steps if item.id == name]
    assert len(found) == 1, [item.id for item in note.steps]
    return found[0]


def states(note: Note) -> dict[str, str]:
    return {item.id: item.state for item in note.steps}


def commands(note: Note) -> str:
    return "\n".join(text for item in note.steps for text in item.commands)


# driver ---------------------------------------------------------------------------------------------------


def test_an_old_driver_is_exchanged_for_the_branch_that_serves_gpu_and_framework(note_of: Make) -> None:
    note = note_of("driver", "linux-driver535-torch-cu130")
    driver = step(note, "driver")
    assert driver.commands == ("sudo apt install nvidia-driver-580-open",)
    assert "CUDA 13 needs NVIDIA driver 580" in driver.why
    assert driver.undo == ("sudo apt remove nvidia-driver-580-open",)
    assert step(note, "kernel-headers").commands[-1] == "sudo apt install linux-headers-5.15.0-126-generic"
    assert step(note, "hold").commands[0] == "sudo apt-mark hold nvidia-driver-580-open"
    assert step(note, "secure-boot").state == "ask"
    assert "mokutil --sb-state" in step(note, "enrol-key").only_if
    assert note.steps[-1].commands == ("sudo reboot",)


def test_what_is_well_is_said_with_its_evidence(note_of: Make) -> None:
    note = note_of("driver", "linux-two-gpus")
    assert states(note) == {"gpu": "right", "modules": "right", "driver": "right", "hold": "optional"}
    assert "branch 580 is the last one" in step(note, "gpu").title
    assert "proprietary" in step(note, "modules").title
    assert ("NVIDIA driver, loaded module", "580.65.06") in [
        (item.fact, item.value) for item in step(note, "driver").evidence
    ]
    assert note.surely == 0


def test_two_halves_of_a_driver_need_a_restart_alone(note_of: Make) -> None:
    note = note_of("driver", "linux-mismatch-code18")
    assert commands(note).startswith("sudo reboot")
    why = step(note, "nvml-driver-library-mismatch").why
    assert "535.183.01" in why
    assert "535.216.01" in why
    assert "install" not in commands(note)


def test_a_module_that_is_not_loaded_is_loaded(note_of: Make) -> None:
    note = note_of("driver", "linux-module-not-loaded")
    assert "sudo modprobe nvidia" in step(note, "kernel-module-not-loaded").commands
    order = list(states(note))
    assert order.index("secure-boot") < order.index("kernel-module-not-loaded")


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        (
            'distro="Debian 13",arch=x86_64,gpu="RTX 4090",driver=none',
            [
                "sudo apt install nvidia-driver firmware-misc-nonfree",
                "sudo mokutil --import /var/lib/dkms/mok.pub",
            ],
        ),
        (
            'distro="Debian 12",arch=x86_64,gpu="RTX 5090",driver=none',
            ["repos/debian12/x86_64/cuda-keyring_1.1-1_all.deb", "sudo apt install nvidia-open"],
        ),
        (
            'distro="Fedora Linux 43",arch=x86_64,gpu="RTX 4090",driver=none',
            [
                "rpmfusion-nonfree-release-43.noarch.rpm",
                "sudo dnf install akmod-nvidia xorg-x11-drv-nvidia-cuda",
                "sudo mokutil --import /etc/pki/akmods/certs/public_key.der",
            ],
        ),
        (
            'distro="Fedora Linux 43",arch=x86_64,gpu="GTX 1080",driver=none',
            ["sudo dnf install akmod-nvidia-580xx xorg-x11-drv-nvidia-580xx-cuda"],
        ),
        (
            'distro="Rocky Linux 9.4",arch=x86_64,gpu="H100",driver=none,kernel=5.14.0-427.el9.x86_64',
            [
                "epel-release-latest-9.noarch.rpm",
                "repos/rhel9/x86_64/cuda-rhel9.repo",
                "sudo dnf module enable nvidia-driver:open-dkms",
                "sudo dnf install kernel-devel-5.14.0-427.el9.x86_64",
            ],
        ),
        (
            'distro="openSUSE Leap 15.6",arch=x86_64,gpu="RTX 4090",driver=none',
            [
                "sudo zypper addrepo",
                "repos/sles15/x86_64/cuda-sles15.repo",
                "sudo zypper install nvidia-open",
            ],
        ),
        (
            'distro="Arch Linux",arch=x86_64,gpu="RTX 4090",driver=none,kernel=6.12.1-arch1-1',
            ["sudo pacman -Syu nvidia-open nvidia-utils"],
        ),
        (
            'distro="Ubuntu 22.04",arch=x86_64,gpu="A100",driver=none',
            ["sudo apt install nvidia-headless-580-server-open nvidia-utils-580-server"],
        ),
        (
            'distro="Ubuntu 22.04",arch=x86_64,gpu="Tesla K80",driver=none',
            ["sudo apt install nvidia-headless-470-server nvidia-utils-470-server"],
        ),
        (
            'distro="Ubuntu 22.04",arch=aarch64,gpu="GTX 1080 Ti",driver=none',
            ["sudo apt install nvidia-driver-580"],
        ),
    ],
)
def test_each_system_and_gpu_has_its_own_commands(words: str, lines: list[str], note_of: Make) -> None:
    told = commands(note_of("driver", words))
    assert [text for text in lines if text not in told] == []


def test_a_branch_that_has_ended_is_told_and_not_chosen(note_of: Make) -> None:
    note = note_of("driver", "linux-rtx4090-driver535-torch-cu126")
    assert step(note, "driver").state == "right"
    later = step(note, "branch-ended")
    assert "branch 535 in 2026-06" in later.why
    assert later.commands == ("sudo apt install nvidia-driver-580-open",)
    old = note_of("driver", 'distro="Debian 12",arch=x86_64,gpu="RTX 4090",driver=none')
    assert "sudo apt install nvidia-open" in commands(old)


def test_an_old_ubuntu_lets_its_tool_choose(note_of: Make) -> None:
    note = note_of("driver", 'distro="Ubuntu 18.04",arch=x86_64,gpu="RTX 2080",driver=none')
    assert "sudo ubuntu-drivers autoinstall" in step(note, "driver").commands


def test_nouveau_is_looked_at_after_the_restart(note_of: Make) -> None:
    note = note_of("driver", 'distro="Debian 13",arch=x86_64,gpu="RTX 4090",driver=none')
    order = list(states(note))
    assert order.index("nouveau") > order.index("restart")
    assert "after the restart" in step(note, "nouveau").only_if


def test_no_module_drives_blackwell_and_pascal(note_of: Make) -> None:
    note = note_of("driver", 'distro="Ubuntu 24.04",arch=x86_64,gpu="RTX 5090",gpu="GTX 1080",driver=none')
    assert step(note, "modules").state == "blocked"
    assert "install" not in commands(note)


def test_an_unknown_gpu_and_driver_are_asked_for(note_of: Make) -> None:
    note = note_of("driver", 'distro="Ubuntu 24.04"')
    assert states(note) == {"gpu": "ask", "driver": "ask", "hold": "optional"}


def test_secure_boot_that_is_off_needs_no_key(note_of: Make) -> None:
    note = note_of("driver", 'distro="Debian 13",gpu="RTX 4090",driver=none,secureboot=off')
    assert step(note, "secure-boot").state == "right"
    assert "mokutil" not in commands(note)


# wsl ------------------------------------------------------------------------------------------------------


def test_wsl_that_is_well_is_left_alone(note_of: Make) -> None:
    note = note_of("wsl", "wsl2-rtx4070")
    assert note.surely == 0
    well = {"wsl-version", "wsl-kernel", "windows-driver", "driver-inside", "loader", "need"}
    assert {name for name, state in states(note).items() if state == "right"} == well
    memory = step(note, "wsl-memory")
    assert memory.lines == ("[wsl2]", "memory=24GB", "swap=8GB")
    assert "32 GiB" in memory.only_if
    assert step(note, "windows-build").commands == ("cmd.exe /c ver", "wsl.exe --version")
    assert "19044" in step(note, "windows-build").why


def test_a_driver_of_linux_inside_wsl_goes(note_of: Make) -> None:
    note = note_of("wsl", "wsl2-linux-driver-inside")
    inside = step(note, "driver-inside")
    assert inside.commands[0] == "sudo apt purge libnvidia-compute-535 nvidia-driver-535"
    assert inside.restarts
    assert step(note, "loader").state == "needed"
    assert "apt install" not in commands(note)


def test_windows_itself_is_told_of_its_own_memory(note_of: Make) -> None:
    note = note_of("wsl", "windows-native-rtx3060-tf")
    assert step(note, "windows-build").state == "right"
    assert step(note, "wsl-memory").only_if == ""
    assert step(note, "wsl-memory").lines == ("[wsl2]", "memory=24GB", "swap=8GB")


@pytest.mark.parametrize(
    ("size", "lines"), [("8GB", ("4", "2")), ("64GB", ("48", "16")), ("4GB", ("2", "1"))]
)
def test_memory_is_shared_by_the_ram(size: str, lines: tuple[str, str], note_of: Make) -> None:
    note = note_of("wsl", f"os=windows,memory={size}")
    assert step(note, "wsl-memory").lines == ("[wsl2]", f"memory={lines[0]}GB", f"swap={lines[1]}GB")


def test_an_old_kernel_and_an_old_gpu_are_said(note_of: Make) -> None:
    note = note_of("wsl", 'distro="Ubuntu 22.04",wsl=yes,kernel=5.4.72-microsoft-standard-WSL2,gpu="GTX 980"')
    assert step(note, "wsl-kernel").commands == ("wsl --update", "wsl --shutdown")
    assert step(note, "wsl-gpu").state == "blocked"


# cuda-toolkit ---------------------------------------------------------------------------------------------


def test_without_anything_to_compile_the_toolkit_is_conditional(note_of: Make) -> None:
    note = note_of("cuda-toolkit", "linux-rtx4090-driver535-torch-cu126")
    assert note.surely == 1
    assert step(note, "cuda-line").title == "The toolkit to compile with is CUDA 12.6"
    toolkit = step(note, "toolkit")
    assert toolkit.commands == ("sudo apt install cuda-toolkit-12-6",)
    assert toolkit.only_if
    assert "never `cuda`" in toolkit.why
    assert "export CUDA_HOME=/usr/local/cuda-12.6" in step(note, "toolkit-path").commands
    assert step(note, "host-compiler").state == "right"
    assert step(note, "toolkit-wheels").commands[0].endswith("'nvidia-cuda-nvcc-cu12==12.6.*'")


def test_a_gpu_that_the_toolkit_leaves_out_stops_it(note_of: Make) -> None:
    note = note_of("cuda-toolkit", "linux-v100-cu130")
    assert step(note, "toolkit-code").state == "blocked"
    assert "sm_70" in step(note, "toolkit-code").title
    assert commands(note) == ""


def test_inside_wsl_the_repository_without_a_driver_is_taken(note_of: Make) -> None:
    told = commands(note_of("cuda-toolkit", "wsl2-rtx4070"))
    assert "repos/wsl-ubuntu/x86_64/cuda-keyring_1.1-1_all.deb" in told
    assert "sudo apt install cuda-toolkit-12-4" in told


def test_the_distribution_has_it_where_it_is_of_that_line(note_of: Make) -> None:
    note = note_of(
        "cuda-toolkit", 'distro="Debian 13",arch=x86_64,gpu="RTX 4090",driver=550.163.01,cuda=12.4'
    )
    assert step(note, "toolkit").commands == ("sudo apt install nvidia-cuda-toolkit",)
    assert "which is CUDA 12.4 here" in step(note, "toolkit").title


# container-toolkit ----------------------------------------------------------------------------------------


def test_engine_repository_toolkit_and_runtime_in_this_order(note_of: Make) -> None:
    note = note_of("container-toolkit", "linux-two-gpus")
    order = ["driver", "engine", "repository", "toolkit", "configure", "rootless"]
    assert list(states(note)) == order
    assert step(note, "driver").state == "right"
    assert step(note, "configure").commands[0] == "sudo nvidia-ctk runtime configure --runtime=docker"
    assert step(note, "rootless").state == "optional"


def test_the_family_of_red_hat_has_podman_and_cdi(note_of: Make) -> None:
    note = note_of("container-toolkit", 'distro="Rocky Linux 9.4",gpu="A100",driver=580.95.05,arch=x86_64')
    assert step(note, "engine").state == "ask"
    told = commands(note)
    assert "/etc/yum.repos.d/nvidia-container-toolkit.repo" in told
    assert "sudo dnf install nvidia-container-toolkit" in told
    assert step(note, "toolkit").only_if
    assert step(note, "configure").only_if
    assert step(note, "cdi").commands[0] == "sudo nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml"
    assert note.surely == 0


def test_a_jetson_takes_the_toolkit_of_jetpack(note_of: Make) -> None:
    note = note_of("container-toolkit", "linux-aarch64-jetson-orin")
    assert "libnvidia-container" not in commands(note)
    assert "JetPack" in step(note, "toolkit").title


# multi-gpu ------------------------------------------------------------------------------------------------


def test_slices_and_switches_of_a_machine_with_a100(note_of: Make) -> None:
    note = note_of("multi-gpu", "linux-mig-a100")
    assert step(note, "mig-0").state == "right"
    assert "mig-1" not in states(note)
    assert step(note, "mig-0-off").commands == ("sudo nvidia-smi -i 0 -mig 0",)
    fabric = step(note, "fabric")
    assert "'nvidia-fabricmanager-550=550.144.03*'" in fabric.commands[1]
    assert "nvswitch" in fabric.only_if


def test_eight_gpus_on_a_switch_need_the_manager(note_of: Make) -> None:
    words = 'distro="Ubuntu 22.04",arch=x86_64,gpu="8x NVIDIA H100 80GB HBM3",driver=580.95.05'
    fabric = step(note_of("multi-gpu", words), "fabric")
    assert fabric.only_if == ""
    assert "nvidia-fabricmanager=580.95.05*" in " ".join(fabric.commands)


def test_two_kinds_of_gpu_are_numbered_by_the_bus(note_of: Make) -> None:
    note = note_of("multi-gpu", "linux-two-gpus")
    assert "export CUDA_DEVICE_ORDER=PCI_BUS_ID" in step(note, "order").commands
    assert "fabric" not in states(note)
    assert "--nproc-per-node=2" in step(note, "nccl-test").commands[0]
    assert step(note, "shm").state == "right"


# jetson ---------------------------------------------------------------------------------------------------


def test_a_board_gets_wheels_of_its_own_jetpack(note_of: Make) -> None:
    note = note_of("jetson", "linux-aarch64-jetson-orin")
    assert step(note, "l4t").title == "Jetson Linux 36.4.3 is JetPack 6.2: CUDA 12.6, Python 3.10"
    assert step(note, "python").state == "right"
    assert step(note, "torch").commands == (
        "python -m pip install --index-url https://pypi.jetson-ai-lab.io/jp6/cu126 torch torchvision",
    )


def test_a_thor_and_an_old_board_have_other_sources(note_of: Make) -> None:
    thor = note_of("jetson", "l4t=38.2")
    assert "https://pypi.jetson-ai-lab.io/sbsa/cu130" in step(thor, "torch").commands[0]
    old = note_of("jetson", "l4t=35.4.1")
    assert "JetPack 5.1.2: CUDA 11.4, Python 3.8" in step(old, "l4t").title
    assert step(old, "torch").commands == ()
    assert "/jp/v512/" in step(old, "torch").title


# rocm -----------------------------------------------------------------------------------------------------


def test_an_amd_gpu_that_works_needs_groups_alone(note_of: Make) -> None:
    note = note_of("rocm", "linux-amd-rx7900xtx")
    assert note.surely == 0
    assert step(note, "groups").commands == ('sudo usermod -a -G render,video "$(id -un)"',)
    assert step(note, "torch").state == "right"
    assert step(note, "matrix").state == "right"
    assert "override" not in states(note)


def test_a_gpu_that_nobody_builds_for_has_a_last_resort(note_of: Make) -> None:
    note = note_of("rocm", 'distro="Ubuntu 24.04",arch=x86_64,gpu="gfx1031"')
    last = step(note, "override")
    assert last.title.startswith("Last resort")
    assert last.commands == ("export HSA_OVERRIDE_GFX_VERSION=10.3.0",)
    assert last.only_if
    assert step(note, "kernel-driver").state == "ask"
    installer = step(note, "rocm").commands[0]
    assert installer.endswith("/amdgpu-install/7.2.1/ubuntu/noble/amdgpu-install_7.2.1.70201-1_all.deb")


# ascend ---------------------------------------------------------------------------------------------------


def test_cann_goes_by_the_framework_and_the_chip(note_of: Make) -> None:
    note = note_of("ascend", "linux-ascend-910b")
    assert step(note, "driver").state == "right"
    assert (
        "sudo ./Ascend-cann-kernels-910b_8.0.0_linux-aarch64.run --install"
        in step(note, "cann-install").commands
    )
    assert "mindspore 2.5.0 goes with CANN 8.0.0" in step(note, "pair").title
    assert "HwHiAiUser" in step(note, "group").commands[0]


def test_an_npu_without_a_framework_gets_the_newest_pair(note_of: Make) -> None:
    note = note_of("ascend", 'os=linux,arch=x86_64,gpu="Ascend 910B"')
    assert step(note, "driver").state == "ask"
    assert "HDK 25.5, 25.3, 25.2, 25.0" in step(note, "driver").why
    assert "./Ascend-cann-910b-ops_8.5.0_linux-x86_64.run" in commands(note)
    assert step(note, "pair").state == "optional"
