// What a port did between two snapshots of the counters. Pure.
#ifndef GATEWAY_CTL_PORT_REPORT_H_
#define GATEWAY_CTL_PORT_REPORT_H_

#include <string>

#include "gateway/ctl/observation.h"
#include "wakegate/ctl/v1/report.pb.h"

namespace wakegate {

// Of the port of that name. Where there is none, its status has no name.
ctl::v1::PortReport MakePortReport(const Observation& seen, const std::string& port);

}  // namespace wakegate

#endif  // GATEWAY_CTL_PORT_REPORT_H_
