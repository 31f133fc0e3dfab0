#include "gateway/ctl/counts.h"

#include <algorithm>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace wakegate {

uint64_t CountOf(const CounterMap& counts, const std::string& name) {
  const auto found = counts.find(name);
  return found == counts.end() ? 0 : found->second;
}

uint64_t SumOf(const CounterMap& counts) {
  uint64_t sum = 0;
  for (const auto& [name, count] : counts) sum += count;
  return sum;
}

std::vector<std::pair<std::string, uint64_t>> GreatestFirst(const CounterMap& counts) {
  std::vector<std::pair<std::string, uint64_t>> sorted;
  for (const auto& [name, count] : counts) {
    if (count > 0) sorted.emplace_back(name, count);
  }
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return std::tie(b.second, a.first) < std::tie(a.second, b.first);
  });
  return sorted;
}

std::string Listed(const CounterMap& counts) {
  return absl::StrJoin(GreatestFirst(counts), ", ", [](std::string* text, const auto& count) {
    absl::StrAppend(text, count.first, " ", count.second);
  });
}

}  // namespace wakegate
