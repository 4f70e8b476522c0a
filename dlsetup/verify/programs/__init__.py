"""One small program a framework. They run inside the environment that is checked.

`look(left, right)` imports the framework, multiplies two matrices of floats on the best device it sees,
and gives a dictionary:

    version     of the imported module
    devices     as the framework names them, accelerators first
    device      where it computed: cuda, rocm, mps, xpu, tpu or cpu
    computed    the product as lists of floats
    wanted      what `computed` has to be, where it is something else than the product
    remark      what the framework says of an accelerator that it cannot use

A program that cannot compute in this release leaves out all but the version.
A program imports nothing of dlsetup, and its framework only inside `look`.
"""
