"""`python -m dlsetup` is `dlsetup`."""

from dlsetup.cli import main

main()
