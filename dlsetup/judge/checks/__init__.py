"""One function a kind of finding; `judge.registry` walks the modules of this folder."""
