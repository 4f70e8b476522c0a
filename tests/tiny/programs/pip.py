"""A pip that says where it is."""

import sys

print("pip 26.0 from", sys.prefix)
