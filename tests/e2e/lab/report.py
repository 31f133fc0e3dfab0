"""The results as JUnit XML, from which Bazel and tools/dev count them."""

import time
import unittest
import xml.etree.ElementTree as ET


class Result(unittest.TextTestResult):
    """A test's result also becomes an element, with its time."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self._suite = ET.Element("testsuite", name="e2e")
        self._case = self._suite
        self._start = 0.0

    def startTest(self, test):
        super().startTest(test)
        group, name = test.id().rsplit(".", 1)
        self._case = ET.SubElement(self._suite, "testcase", classname=group, name=name)
        self._start = time.monotonic()

    def stopTest(self, test):
        super().stopTest(test)
        self._case.set("time", f"{time.monotonic() - self._start:.3f}")
        print(f"    {self._case.get('time')} s", flush=True)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._add("failure", self.failures[-1][1])

    def addError(self, test, err):
        super().addError(test, err)
        self._add("error", self.errors[-1][1])

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._add("failure", f"{subtest}: {err[1]}")

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self._add("skipped", reason)

    def _add(self, kind: str, text: str) -> None:
        ET.SubElement(self._case, kind, message=text.splitlines()[-1] if text else "").text = text

    def write(self, path: str) -> None:
        ET.ElementTree(self._suite).write(path)
