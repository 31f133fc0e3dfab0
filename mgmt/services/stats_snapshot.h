// The ledger's counts as the API gives them.
#ifndef MGMT_SERVICES_STATS_SNAPSHOT_H_
#define MGMT_SERVICES_STATS_SNAPSHOT_H_

#include <set>
#include <string>

#include "gateway/ledger/reader.h"
#include "google/protobuf/repeated_field.h"
#include "mgmt/controller/view.h"
#include "wakegate/v1/stats.pb.h"

namespace wakegate {

// Which ports' queues are wanted; empty: all.
using PortFilter = std::set<std::string>;

// NOT_FOUND where a name is none of the data plane's ports.
absl::StatusOr<PortFilter> MakePortFilter(
    const View& view, const google::protobuf::RepeatedPtrField<std::string>& names);

// Takes the counts of now. The view's error where it has no ledger.
absl::StatusOr<v1::StatsSnapshot> TakeStats(const View& view, const PortFilter& filter);

}  // namespace wakegate

#endif  // MGMT_SERVICES_STATS_SNAPSHOT_H_
