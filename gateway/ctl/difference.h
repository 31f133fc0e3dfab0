// How much the counters grew between two snapshots. Pure.
#ifndef GATEWAY_CTL_DIFFERENCE_H_
#define GATEWAY_CTL_DIFFERENCE_H_

#include "wakegate/v1/stats.pb.h"

namespace wakegate {

// `after` with each counter less what it was in `before`; levels stay as they are. What is new
// since then, or counts less than it did, has counted from 0. Histograms are left out.
v1::StatsSnapshot Difference(const v1::StatsSnapshot& before, const v1::StatsSnapshot& after);

}  // namespace wakegate

#endif  // GATEWAY_CTL_DIFFERENCE_H_
