#include "tests/bench/figures.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace wakegate::bench {

double Figure::Median() const {
  std::vector<double> sorted = rounds;
  std::sort(sorted.begin(), sorted.end());
  const size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

double Figure::Least() const { return *std::min_element(rounds.begin(), rounds.end()); }

double Figure::Greatest() const { return *std::max_element(rounds.begin(), rounds.end()); }

std::string ToTable(const Scenario& scenario) {
  std::string text = absl::StrCat(scenario.name, ": ", scenario.what, "\n");
  absl::StrAppendFormat(&text, "  %-44s %10s %10s %10s\n", "", "median", "least", "greatest");
  for (const Figure& figure : scenario.figures) {
    absl::StrAppendFormat(&text, "  %-44s %10.2f %10.2f %10.2f %s\n", figure.name, figure.Median(),
                          figure.Least(), figure.Greatest(), figure.unit);
  }
  return text;
}

std::string ToJson(const Scenario& scenario) {
  const size_t rounds = scenario.figures.empty() ? 0 : scenario.figures.front().rounds.size();
  std::string json = absl::StrFormat("{\"scenario\": \"%s\", \"rounds\": %d, \"results\": [",
                                     scenario.name, rounds);
  const char* separator = "\n  ";
  for (const Figure& figure : scenario.figures) {
    absl::StrAppendFormat(
        &json,
        "%s{\"name\": \"%s\", \"unit\": \"%s\", \"median\": %.4f, \"min\": %.4f, \"max\": %.4f}",
        separator, figure.name, figure.unit, figure.Median(), figure.Least(), figure.Greatest());
    separator = ",\n  ";
  }
  absl::StrAppend(&json, "\n]}\n");
  return json;
}

}  // namespace wakegate::bench
