// The maps of counters of the statistics, for what prints them. Pure.
#ifndef GATEWAY_CTL_COUNTS_H_
#define GATEWAY_CTL_COUNTS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "google/protobuf/map.h"

namespace wakegate {

using CounterMap = google::protobuf::Map<std::string, uint64_t>;

// 0 where there is none of that name.
uint64_t CountOf(const CounterMap& counts, const std::string& name);
uint64_t SumOf(const CounterMap& counts);
// Those that are not 0, greatest first, then by name.
std::vector<std::pair<std::string, uint64_t>> GreatestFirst(const CounterMap& counts);
// Likewise, as text: "packet 12, timer 3"; empty where all are 0.
std::string Listed(const CounterMap& counts);

}  // namespace wakegate

#endif  // GATEWAY_CTL_COUNTS_H_
