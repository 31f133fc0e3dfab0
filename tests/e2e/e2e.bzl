"""Tests of the real binaries."""

def e2e_test(name, data = [], **kwargs):
    """A test of NAME.py in namespaces of its own: it needs root, and workers a core of their own.

    Args:
      name: of the test and of its Python file.
      data: what it needs beside the binaries.
      **kwargs: as for sh_test.
    """
    native.sh_test(
        name = name,
        srcs = ["isolated.sh"],
        args = ["$(location %s.py)" % name],
        data = [name + ".py", ":lab"] + data,
        tags = [
            "cpu:2",
            "no-sandbox",
        ],
        **kwargs
    )
