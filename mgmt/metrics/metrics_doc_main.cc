// Prints docs/METRICS.md.
#include <iostream>

#include "mgmt/metrics/metrics_doc.h"

int main() {
  std::cout << wakegate::MetricsDocument();
  return std::cout.flush() ? 0 : 1;
}
