// The time between two snapshots of the counters. Pure.
#ifndef GATEWAY_CTL_ELAPSED_H_
#define GATEWAY_CTL_ELAPSED_H_

#include "google/protobuf/util/time_util.h"

namespace wakegate {

inline double SecondsBetween(const google::protobuf::Timestamp& from,
                             const google::protobuf::Timestamp& to) {
  using google::protobuf::util::TimeUtil;
  return static_cast<double>(TimeUtil::DurationToNanoseconds(to - from)) / 1e9;
}

}  // namespace wakegate

#endif  // GATEWAY_CTL_ELAPSED_H_
