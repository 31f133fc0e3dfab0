import unittest

from harness.figures import Report, at_least, at_most, confidence_interval, not_below
from harness.plot import to_svg
from harness.rounds import Effort, interleave
from harness.table import to_table
from harness.window import Look, Window


class FiguresTest(unittest.TestCase):
    def test_the_interval_is_that_of_order_statistics(self):
        # Of 9 values the 2nd to the 8th, of 20 the 6th to the 15th (95 %, binomial tables).
        self.assertEqual(confidence_interval([9, 8, 7, 6, 5, 4, 3, 2, 1]), (2, 8))
        self.assertEqual(confidence_interval(list(range(1, 21))), (6, 15))

    def test_the_interval_of_few_values_is_their_range(self):
        for count in range(1, 6):
            self.assertEqual(confidence_interval(list(range(count))), (0, count - 1))

    def test_a_target_is_met_by_the_median_or_by_the_whole_interval(self):
        values = [0.9, 1.0, 1.1, 1.2, 1.3]
        self.assertTrue(at_least(1.1).is_met(values))
        self.assertFalse(at_least(1.1, confident=True).is_met(values))
        self.assertTrue(at_most(1.3, confident=True).is_met(values))
        self.assertFalse(at_most(1.0).is_met(values))
        self.assertTrue(not_below(1.3).is_met(values))
        self.assertFalse(not_below(1.31).is_met(values))

    def test_figures_are_compared_round_by_round(self):
        report = Report("P", "test")
        for fast, slow in ((10, 5), (30, 10), (8, 2)):
            report.add("fast", "Mpps", fast)
            report.add("slow", "Mpps", slow)
        report.quotient("fast over slow", "fast", "slow", at_least(3))
        report.difference("fast less slow", "fast", "slow", at_most(5))
        written = report.to_json()
        self.assertEqual(written["rounds"], 3)
        quotient, difference = written["ratios"]
        self.assertEqual((quotient["median"], quotient["min"], quotient["max"]), (3, 2, 4))
        self.assertTrue(quotient["met"])
        self.assertEqual((difference["median"], difference["unit"]), (6, "Mpps"))
        self.assertFalse(difference["met"])
        self.assertIn(">= 3: met", to_table(report))
        self.assertIn("<= 5: NOT MET", to_table(report))
        self.assertEqual(to_svg(report).count("<circle"), 4)


    def test_the_greatest_is_that_by_the_median(self):
        report = Report("P", "test")
        for steady, wild in ((5, 0), (5, 100), (5, 1)):
            report.add("steady", "Mpps", steady)
            report.add("wild", "Mpps", wild)
        self.assertEqual(report.greatest("wild", "steady"), "steady")


class RoundsTest(unittest.TestCase):
    def test_every_second_round_goes_backwards(self):
        seen = []
        interleave(3, [lambda: seen.append("a"), lambda: seen.append("b")])
        self.assertEqual("".join(seen), "abbaab")

    def test_a_short_effort_is_short(self):
        self.assertEqual(Effort(None, True).seconds(20), 0.05)
        self.assertEqual(Effort(3, False).rounds_or(9), 3)


class WindowTest(unittest.TestCase):
    def test_time_in_which_the_others_had_the_cpu_does_not_count(self):
        window = Window(
            Look(10.0, 1.0, {"a": 100}, {}, 7),
            Look(12.0, 1.5, {"a": 3_000_100, "b": 4}, {}, 10),
        )
        self.assertEqual(window.received_rate("a"), 2)
        self.assertEqual(window.received["b"], 4)
        self.assertEqual(window.nanoseconds_each_turn, 0.5e9)
        self.assertEqual(window.share, 0.75)

    def test_all_time_counts_where_the_cpu_is_shared(self):
        looks = (Look(10.0, 1.0, {"a": 0}, {}), Look(12.0, 2.5, {"a": 2_000_000}, {}))
        window = Window(*looks, cpu_is_shared=True)
        self.assertEqual((window.received_rate("a"), window.share), (1, 1))

    def test_a_wait_that_began_before_leaves_some_time(self):
        window = Window(Look(1.0, 0.0, {}, {}), Look(1.5, 3.0, {}, {}))
        self.assertAlmostEqual(window.seconds, 0.05)


if __name__ == "__main__":
    unittest.main()
