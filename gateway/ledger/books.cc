#include "gateway/ledger/books.h"

#include "absl/strings/str_cat.h"

namespace wakegate::ledger {
namespace {

template <class Array>
uint64_t Sum(const Array& array) {
  uint64_t sum = 0;
  for (const Counter& cell : array.cells) sum += cell.Get();
  return sum;
}

// `in_rings` gathers what is given to hand-over rings less what is taken from them.
void AddRx(const RxQueueBlock& rx, Books& books, uint64_t& in_rings) {
  books.received += rx.counters[RxCounter::kPackets].Get();
  books.created += rx.counters[RxCounter::kCreated].Get();
  books.merged += rx.counters[RxCounter::kMerged].Get();
  books.dropped += Sum(rx.drops);
  in_rings += rx.counters[RxCounter::kHandedOver].Get();
}

void AddTx(const TxQueueBlock& tx, Books& books, uint64_t& in_rings) {
  books.sent += tx.counters[TxCounter::kPackets].Get();
  books.dropped += Sum(tx.drops);
  books.held += tx.levels[TxLevel::kHeld].Get();
  in_rings -= tx.counters[TxCounter::kTakenOver].Get();
}

}  // namespace

Books ComputeBooks(const Snapshot& snapshot) {
  Books books;
  uint64_t in_rings = 0;
  AddRx(snapshot.retired->rx, books, in_rings);
  AddTx(snapshot.retired->tx, books, in_rings);
  for (const SlotSnapshot& slot : snapshot.slots) {
    if (slot.identity().kind == SlotKind::kRxQueue) AddRx(slot.rx(), books, in_rings);
    if (slot.identity().kind == SlotKind::kTxQueue) AddTx(slot.tx(), books, in_rings);
  }
  books.held += in_rings;
  return books;
}

std::string Books::ToString() const {
  return absl::StrCat("received ", received, " + created ", created, " = sent ", sent,
                      " + dropped ", dropped, " + held ", held, " + merged ", merged,
                      " (difference ", difference(), ")");
}

}  // namespace wakegate::ledger
