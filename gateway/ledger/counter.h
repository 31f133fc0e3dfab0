// The cells of the ledger: one writer, any number of readers in any process.
#ifndef GATEWAY_LEDGER_COUNTER_H_
#define GATEWAY_LEDGER_COUNTER_H_

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace wakegate::ledger {

// A number that one thread writes and others read. Add is a plain load, add and store: no locked
// instruction. Two writers at once lose counts; the writer may change where the old writer's last
// Add happens before the new one's first (a plan swap does that).
class Counter {
 public:
  void Add(uint64_t n) {
    value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  void Set(uint64_t n) { value_.store(n, std::memory_order_relaxed); }
  uint64_t Get() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_;
};
static_assert(sizeof(Counter) == sizeof(uint64_t) && std::atomic<uint64_t>::is_always_lock_free,
              "counters are shared between processes");

// Counters indexed by an enum of an X-list.
template <class Enum, std::size_t kCount>
struct CounterArray {
  Counter& operator[](Enum e) { return cells[static_cast<std::size_t>(e)]; }
  const Counter& operator[](Enum e) const { return cells[static_cast<std::size_t>(e)]; }

  Counter cells[kCount];
};

// Buckets whose inclusive upper bounds are 1, 2, 4, … 2^(kBounds-1), and one without bound.
template <std::size_t kBounds>
struct Histogram {
  // The bucket of a value: 0 and 1 in the first.
  static constexpr std::size_t BucketOf(uint64_t value) {
    const std::size_t bucket = value <= 1 ? 0 : std::bit_width(value - 1);
    return bucket < kBounds ? bucket : kBounds;
  }
  static constexpr uint64_t UpperBound(std::size_t bucket) { return uint64_t{1} << bucket; }

  void Record(uint64_t value) {
    buckets[BucketOf(value)].Add(1);
    sum.Add(value);
  }

  Counter buckets[kBounds + 1];
  Counter sum;
};

}  // namespace wakegate::ledger

#endif  // GATEWAY_LEDGER_COUNTER_H_
