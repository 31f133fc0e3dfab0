"""What test_summary.py makes of Bazel's events and of the tests' own XML."""
import contextlib
import io
import json
import os
import tempfile
import unittest

import test_summary

CASES = """<testsuites><testsuite name="A">
  <testcase name="Passes" status="run" classname="A" />
  <testcase name="Skips" status="run" classname="A"><skipped message="a_test.cc:2&#x0A;no /dev/net/tun" /></testcase>
  <testcase name="DISABLED_Off" status="notrun" classname="A" />{more}
</testsuite></testsuites>"""
FAILURE = '<testcase name="Fails" status="run" classname="A"><failure message="no" /></testcase>'


class TestSummaryTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.events = []

    def add_result(self, label, status, xml=None, **key):
        outputs = []
        if xml is not None:
            path = os.path.join(self.folder, f"{len(self.events)}.xml")
            with open(path, "w", encoding="utf-8") as out:
                out.write(xml)
            outputs = [{"name": "test.xml", "uri": "file://" + path}]
        result = {"status": status, "testActionOutput": outputs}
        self.events.append({"id": {"testResult": {"label": label, **key}}, "testResult": result})

    def add_target_that_did_not_build(self, label, kind):
        self.events.append({"id": {"targetConfigured": {"label": label}}, "configured": {"targetKind": kind}})
        self.events.append({"id": {"targetCompleted": {"label": label}}, "aborted": {}})

    def summarise(self):
        """(exit status, printed lines)."""
        path = os.path.join(self.folder, "events.json")
        with open(path, "w", encoding="utf-8") as out:
            out.writelines(json.dumps(event) + "\n" for event in self.events)
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            status = test_summary.main(path)
        return status, printed.getvalue().splitlines()

    def test_counts_cases_and_names_the_reason_of_a_skip(self):
        self.add_result("//a:a_test", "PASSED", CASES.format(more=""))
        self.assertEqual(
            self.summarise(),
            (
                0,
                [
                    "SKIPPED: //a:a_test A.Skips: no /dev/net/tun",
                    "SKIPPED: //a:a_test A.DISABLED_Off: disabled",
                    "1 passed, 0 failed, 2 skipped",
                ],
            ),
        )

    def test_counts_a_target_without_cases_as_one(self):
        self.add_result("//a:script", "PASSED")
        self.add_result("//a:flaky", "FLAKY", "not XML")
        self.assertEqual(self.summarise(), (0, ["2 passed, 0 failed"]))

    def test_counts_failed_cases(self):
        self.add_result("//a:a_test", "FAILED", CASES.format(more=FAILURE))
        status, lines = self.summarise()
        self.assertEqual(status, 1)
        self.assertIn("FAILED: //a:a_test", lines)
        self.assertEqual(lines[-1], "1 passed, 1 failed, 2 skipped")

    def test_counts_a_time_out_as_failed_although_no_case_did(self):
        self.add_result("//a:a_test", "TIMEOUT", CASES.format(more=""))
        self.assertEqual(self.summarise(), (1, ["TIMEOUT: //a:a_test", "0 passed, 1 failed"]))

    def test_counts_the_last_attempt_and_every_run_and_shard(self):
        self.add_result("//a:a_test", "FAILED", attempt=1)
        self.add_result("//a:a_test", "PASSED", attempt=2)
        self.add_result("//a:a_test", "PASSED", run=2)
        self.add_result("//a:a_test", "PASSED", shard=2)
        self.assertEqual(self.summarise(), (0, ["3 passed, 0 failed"]))

    def test_counts_a_test_that_did_not_build_as_failed_but_not_a_library(self):
        self.add_result("//a:a_test", "PASSED")
        self.add_target_that_did_not_build("//a:b_test", "cc_test rule")
        self.add_target_that_did_not_build("//a:library", "cc_library rule")
        self.assertEqual(self.summarise(), (1, ["NOT BUILT: //a:b_test", "1 passed, 1 failed"]))

    def test_fails_where_no_test_ran(self):
        self.assertEqual(self.summarise(), (1, ["0 passed, 0 failed"]))


if __name__ == "__main__":
    unittest.main()
