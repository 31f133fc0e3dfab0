// What a scenario measured, and how it is shown.
#ifndef TESTS_BENCH_FIGURES_H_
#define TESTS_BENCH_FIGURES_H_

#include <string>
#include <vector>

namespace wakegate::bench {

// One thing that was measured once in each round.
struct Figure {
  std::string name;
  std::string unit;
  std::vector<double> rounds = {};

  double Median() const;
  double Least() const;
  double Greatest() const;
};

struct Scenario {
  std::string name;
  std::string what;  // For people: what was done.
  std::vector<Figure> figures;
};

// A line for each figure: median, least and greatest of the rounds.
std::string ToTable(const Scenario& scenario);
// {"scenario": …, "rounds": …, "results": [{"name": …, "unit": …, "median": …, "min": …, "max":
// …}]}
std::string ToJson(const Scenario& scenario);

}  // namespace wakegate::bench

#endif  // TESTS_BENCH_FIGURES_H_
