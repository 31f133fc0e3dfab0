// A port's report as text for people, at most 100 columns wide. Pure.
#ifndef GATEWAY_CTL_PORT_EXPLANATION_H_
#define GATEWAY_CTL_PORT_EXPLANATION_H_

#include <string>

#include "wakegate/ctl/v1/report.pb.h"

namespace wakegate {

// How the port works and why so, what woke its workers, what it cost and what was lost, in
// sentences.
std::string FormatPortExplanation(const ctl::v1::PortReport& report);

}  // namespace wakegate

#endif  // GATEWAY_CTL_PORT_EXPLANATION_H_
