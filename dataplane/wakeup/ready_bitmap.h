// Which queues have something to do: one bit each, 64 of them looked at with one load.
#ifndef DATAPLANE_WAKEUP_READY_BITMAP_H_
#define DATAPLANE_WAKEUP_READY_BITMAP_H_

#include <atomic>
#include <bit>
#include <cstdint>
#include <vector>

namespace wakegate {

// Any thread, and a signal handler, sets bits; one worker takes them. A bit means the same thing
// for as long as anybody may set it.
class ReadyBitmap {
 public:
  // For `bits` bits, a multiple of 64, all clear.
  explicit ReadyBitmap(uint32_t bits) : words_(bits / 64) {}

  // What was written before Set is seen by the worker after it took the bit.
  void Set(uint32_t bit) {
    words_[bit / 64].fetch_or(uint64_t{1} << (bit % 64), std::memory_order_acq_rel);
  }
  void Clear(uint32_t bit) {
    words_[bit / 64].fetch_and(~(uint64_t{1} << (bit % 64)), std::memory_order_acq_rel);
  }
  void SetAll() {
    for (auto& word : words_) word.store(~uint64_t{0}, std::memory_order_release);
  }
  bool Any() const {
    for (const auto& word : words_) {
      if (word.load(std::memory_order_relaxed) != 0) return true;
    }
    return false;
  }

  // Clears the bits and calls `visit(bit)` for each that was set. A bit that is set meanwhile is
  // visited now or stays for the next time. An idle word costs a load and no locked instruction.
  template <class Visitor>
  void TakeAll(Visitor&& visit) {
    for (uint32_t i = 0; i < words_.size(); ++i) {
      if (words_[i].load(std::memory_order_relaxed) == 0) continue;
      uint64_t bits = words_[i].exchange(0, std::memory_order_acq_rel);
      for (; bits != 0; bits &= bits - 1) {
        visit(i * 64 + static_cast<uint32_t>(std::countr_zero(bits)));
      }
    }
  }

 private:
  std::vector<std::atomic<uint64_t>> words_;
};

}  // namespace wakegate

#endif  // DATAPLANE_WAKEUP_READY_BITMAP_H_
