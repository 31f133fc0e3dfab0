// What Prometheus does.
#ifndef MGMT_TESTING_SCRAPE_H_
#define MGMT_TESTING_SCRAPE_H_

#include <string>

namespace wakegate {

// The body of http://127.0.0.1:`port`/metrics; empty where the answer is not 200.
std::string ScrapeMetrics(int port);

}  // namespace wakegate

#endif  // MGMT_TESTING_SCRAPE_H_
