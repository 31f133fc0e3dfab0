// docs/METRICS.md, made of the tables that the scrape is made of. Pure.
#ifndef MGMT_METRICS_METRICS_DOC_H_
#define MGMT_METRICS_METRICS_DOC_H_

#include <string>

namespace wakegate {

std::string MetricsDocument();

}  // namespace wakegate

#endif  // MGMT_METRICS_METRICS_DOC_H_
