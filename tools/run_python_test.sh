#!/bin/bash
# Runs the Python test given, with Debian's Python.
exec /usr/bin/python3 -B "$@"
