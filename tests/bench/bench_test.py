"""Each scenario runs, ends, and writes JSON with its names. Nothing is said of its figures."""

import json
import pathlib
import tempfile
import unittest

import bench
import scenarios
from lab import case


class BenchTest(unittest.TestCase):
    def run_scenario(self, name: str) -> dict:
        with tempfile.TemporaryDirectory(dir="/run") as folder:
            path = pathlib.Path(folder, "figures.json")
            bench.main([name, "--rounds", "1", "--short", "--json", str(path), "--plots", folder])
            self.assertIn("</svg>", pathlib.Path(folder, f"{name}.svg").read_text(encoding="utf-8"))
            return json.loads(path.read_text(encoding="utf-8"))

    def test_each_scenario_runs_and_names_what_it_measured(self):
        for scenario in scenarios.ALL.values():
            with self.subTest(scenario.NAME):
                written = self.run_scenario(scenario.NAME)
                self.assertEqual(written["scenario"], scenario.NAME)
                self.assertEqual(written["rounds"], 1)
                for key, names in scenario.SMOKE.items():
                    self.assertLessEqual(names, {entry["name"] for entry in written[key]})
                for figure in written["results"]:
                    self.assertLessEqual({"name", "unit", "median", "min", "max"}, figure.keys())
                for ratio in written["ratios"]:
                    self.assertLessEqual({"name", "median", "target", "met"}, ratio.keys())


if __name__ == "__main__":
    case.main()
