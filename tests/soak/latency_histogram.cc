#include "tests/soak/latency_histogram.h"

#include <algorithm>
#include <bit>

#include "absl/strings/str_format.h"

namespace wakegate::testing {

void LatencyHistogram::Add(const std::string& cause, std::chrono::nanoseconds took) {
  const auto rounded_up = std::max<int64_t>(0, (took.count() + 999) / 1000);
  const auto microseconds = static_cast<uint64_t>(rounded_up);
  // Bucket n holds what took more than 2^(n-1) and at most 2^n microseconds.
  const std::size_t bucket =
      microseconds <= 1 ? 0 : static_cast<std::size_t>(std::bit_width(microseconds - 1));
  ++counts_[cause][std::min(bucket, kBuckets - 1)];
  ++count_;
  longest_ = std::max(longest_, took);
}

std::string LatencyHistogram::ToTable() const {
  std::string table = absl::StrFormat("%14s", "up to");
  for (const auto& [cause, counts] : counts_) absl::StrAppendFormat(&table, " %12s", cause);
  table += '\n';
  for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
    const auto in_bucket = [bucket](const auto& column) { return column.second[bucket] != 0; };
    if (std::none_of(counts_.begin(), counts_.end(), in_bucket)) continue;
    absl::StrAppendFormat(&table, "%11u us", uint64_t{1} << bucket);
    for (const auto& [cause, counts] : counts_) {
      absl::StrAppendFormat(&table, " %12u", counts[bucket]);
    }
    table += '\n';
  }
  return table;
}

}  // namespace wakegate::testing
