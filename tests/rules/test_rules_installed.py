"""Which build is installed: by its files, or by the companions beside it."""

from __future__ import annotations

from msgspec.structs import replace
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from dlsetup.model.framework import Accelerator, Build, Catalog, Framework, Wheels
from dlsetup.model.machine import Distribution, Environment
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.rules.installed import build_of, variant_of

LINUX = "manylinux_2_28_x86_64"


def build(
    name: str,
    version: str,
    variant: str,
    asks: str,
    *requires: str,
    index: str = "default",
    platform: str = LINUX,
) -> Build:
    accelerator: Accelerator = "cpu" if variant == "cpu" else "cuda"
    return Build(
        framework=name,
        version=Version(version),
        variant=variant,
        accelerator=accelerator,
        wheels=(Wheels(pythons=("cp312",), platform=platform),),
        requires_python=SpecifierSet(),
        index=index,
        requirements=(asks,),
        requires=requires,
    )


CATALOG = Catalog(
    frameworks=(
        Framework(
            name="torch",
            title="PyTorch",
            distributions=("torch",),
            imports="torch",
            builds=(
                build("torch", "2.14.1", "cu130", "torch==2.14.1", "nvidia-cudnn-cu13==9.24.0.43"),
                build("torch", "2.14.1", "cpu", "torch==2.14.1", platform="win_amd64"),
                build("torch", "2.14.1", "cu130", "torch==2.14.1+cu130", index="pytorch-cu130"),
                build("torch", "2.14.1", "cu126", "torch==2.14.1+cu126", index="pytorch-cu126"),
                build("torch", "2.14.1", "cpu", "torch==2.14.1+cpu", index="pytorch-cpu"),
            ),
        ),
        Framework(
            name="tensorflow",
            title="TensorFlow",
            distributions=("tensorflow",),
            imports="tensorflow",
            builds=(
                build(
                    "tensorflow",
                    "2.21.0",
                    "cu125",
                    "tensorflow[and-cuda]==2.21.0",
                    "numpy>=1.26",
                    'nvidia-cudnn-cu12>=9.3; platform_system == "Linux"',
                    "nvidia-nccl-cu12>=2.27",
                ),
                build("tensorflow", "2.21.0", "cpu", "tensorflow==2.21.0", "numpy>=1.26"),
            ),
        ),
        Framework(
            name="jax",
            title="JAX",
            distributions=("jax", "jaxlib"),
            imports="jax",
            builds=(
                build(
                    "jax",
                    "0.10.2",
                    "cu12",
                    "jax[cuda12]==0.10.2",
                    "jaxlib==0.10.2",
                    "jax-cuda12-plugin==0.10.2",
                ),
                build(
                    "jax",
                    "0.10.2",
                    "cu13",
                    "jax[cuda13]==0.10.2",
                    "jaxlib==0.10.2",
                    "jax-cuda13-plugin==0.10.2",
                ),
                build("jax", "0.10.2", "cpu", "jax==0.10.2", "jaxlib==0.10.2"),
                build("jax", "0.10.2", "cpu", "jax==0.10.2", "jaxlib==0.10.2", platform="win_amd64"),
            ),
        ),
        Framework(
            name="onnxruntime",
            title="ONNX Runtime",
            distributions=("onnxruntime", "onnxruntime-gpu"),
            imports="onnxruntime",
            builds=(
                build("onnxruntime", "1.31.1", "cpu", "onnxruntime==1.31.1"),
                build("onnxruntime", "1.31.1", "cu130", "onnxruntime-gpu[cuda,cudnn]==1.31.1"),
            ),
        ),
    )
)


def installed(*names: str, unknown: bool = False) -> Environment:
    items = tuple(distribution(*name.split("==")) for name in names)
    return Environment(
        path="/env", kind="venv", python=Version("3.12.4"), distributions=UNKNOWN if unknown else items
    )


def distribution(name: str, version: str = "1.0", variant: str | None = None) -> Distribution:
    return Distribution(name=name, version=Version(version), variant=variant or UNKNOWN)


def requirement(item: Distribution, environment: Environment) -> str:
    found = build_of(item, environment, CATALOG)
    assert isinstance(found, Build)
    return found.requirements[0]


def test_torch_is_told_by_its_own_files() -> None:
    empty = installed()
    assert requirement(distribution("torch", "2.14.1+cu126", "cu126"), empty) == "torch==2.14.1+cu126"
    assert requirement(distribution("torch", "2.14.1+cu130", "cu130"), empty) == "torch==2.14.1+cu130"
    assert requirement(distribution("torch", "2.14.1", "cu130"), empty) == "torch==2.14.1"
    cudnn = installed("nvidia-cudnn-cu13==9.24.0.43")
    assert requirement(distribution("torch", "2.14.1", "cu130"), cudnn) == "torch==2.14.1"


def test_tensorflow_is_told_by_its_cuda_wheels() -> None:
    item = distribution("tensorflow", "2.21.0", "cu125")
    assert requirement(item, installed("numpy")) == "tensorflow==2.21.0"
    with_cuda = installed("numpy", "nvidia-cudnn-cu12", "nvidia-nccl-cu12")
    assert requirement(item, with_cuda) == "tensorflow[and-cuda]==2.21.0"
    assert requirement(item, installed("numpy", "nvidia-nccl-cu12")) == "tensorflow==2.21.0"


def test_jax_is_told_by_its_plugin() -> None:
    for item in (distribution("jax", "0.10.2"), distribution("jaxlib", "0.10.2")):
        assert variant_of(item, installed("jaxlib"), CATALOG) == "cpu"
        assert variant_of(item, installed("jaxlib", "jax-cuda12-plugin"), CATALOG) == "cu12"
    both = installed("jaxlib", "jax-cuda12-plugin", "jax-cuda13-plugin")
    assert isinstance(build_of(distribution("jax", "0.10.2"), both, CATALOG), Unknown)


def test_what_an_excerpt_of_a_list_does_not_show_may_be_there() -> None:
    excerpt = replace(installed("jaxlib"), complete=False)
    assert isinstance(variant_of(distribution("jax", "0.10.2"), excerpt, CATALOG), Unknown)
    shown = replace(installed("jaxlib", "jax-cuda12-plugin"), complete=False)
    assert variant_of(distribution("jax", "0.10.2"), shown, CATALOG) == "cu12"


def test_onnxruntime_is_told_by_its_name() -> None:
    both = installed("onnxruntime==1.31.1", "onnxruntime-gpu==1.31.1")
    assert variant_of(distribution("onnxruntime", "1.31.1"), both, CATALOG) == "cpu"
    assert variant_of(distribution("onnxruntime-gpu", "1.31.1"), both, CATALOG) == "cu130"


def test_what_the_catalog_does_not_know_is_none_or_unknown() -> None:
    assert build_of(distribution("numpy"), installed(), CATALOG) is None
    assert build_of(distribution("torch", "9.9"), installed(), CATALOG) is None
    assert build_of(distribution("torch", "2.14.1", "cu118"), installed(), CATALOG) is None
    assert variant_of(distribution("torch", "9.9", "cu999"), installed(), CATALOG) == "cu999"
    unseen = installed(unknown=True)
    assert isinstance(build_of(distribution("jax", "0.10.2"), unseen, CATALOG), Unknown)
