// Reports of workers as text for people, at most 100 columns wide. Pure.
#ifndef GATEWAY_CTL_WORKER_VIEW_H_
#define GATEWAY_CTL_WORKER_VIEW_H_

#include <string>

#include "wakegate/ctl/v1/report.pb.h"

namespace wakegate {

// A line for each worker, and below it what is special about it and a table of its queues.
std::string FormatWorkers(const ctl::v1::WorkersReport& report);

// Why the only worker of the report woke, most often first, what it did, and what it cost, in
// sentences.
std::string FormatExplanation(const ctl::v1::WorkersReport& report);

}  // namespace wakegate

#endif  // GATEWAY_CTL_WORKER_VIEW_H_
