#include "dataplane/worker/receive_scan.h"

#include <optional>

namespace wakegate {

void ReceiveScan::Adopt(const Plan& plan) {
  receivers_ = plan.receivers.data();
  words_.clear();
  unworded_.clear();
  for (uint32_t i = 0; i < plan.receivers.size(); ++i) {
    const std::optional<ReadyWord> ready = receivers_[i].queue.ready_word();
    if (ready) {
      words_.push_back({.ready = *ready, .receiver = i, .counted_turn = turn_});
    } else {
      unworded_.push_back(i);
    }
  }
}

void ReceiveScan::CountAllIdleTurns() {
  for (Word& word : words_) CountIdleTurns(word, 0);
}

}  // namespace wakegate
