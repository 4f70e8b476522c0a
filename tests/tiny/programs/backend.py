"""The build backend of a tiny source."""

import zipfile
from importlib import import_module

NEEDED = import_module("@needs@")  # as the setup.py of an extension does, and `requires` does not say
NAME, VERSION = "@module@", "@version@"


def build_wheel(folder, config_settings=None, metadata_directory=None):
    info = f"{NAME}-{VERSION}.dist-info"
    name = f"{NAME}-{VERSION}-py3-none-any.whl"
    metadata = f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {VERSION}\n"
    with zipfile.ZipFile(f"{folder}/{name}", "w") as wheel:
        wheel.writestr(f"{NAME}/__init__.py", f"against = {NEEDED.__version__!r}\n")
        wheel.writestr(f"{info}/METADATA", metadata)
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
    return name
