// The layout of the ledger file: a header, then kSlotCount slots.
//
// The data plane is the only writer; management and tests map the file read-only. Each slot is one
// receive queue, transmit queue, worker or port, and has one writing thread. A slot's generation is
// odd while its identity changes and even otherwise, so that a reader notices a slot that was given
// to another queue under its hands.
#ifndef GATEWAY_LEDGER_LAYOUT_H_
#define GATEWAY_LEDGER_LAYOUT_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "gateway/ledger/counter.h"
#include "gateway/ledger/names.h"

namespace wakegate::ledger {

inline constexpr uint64_t kMagic = 0x45544147454b4157;  // "WAKEGATE", little endian.
inline constexpr std::size_t kSlotCount = 2048;
inline constexpr std::size_t kPortNameSize = 16;  // IFNAMSIZ, with the final zero.
inline constexpr std::size_t kBootIdSize = 37;    // A UUID, with the final zero.

enum class SlotKind : uint32_t { kFree, kRxQueue, kTxQueue, kWorker, kPort };

struct RxQueueBlock {
  CounterArray<RxCounter, kRxCounterCount> counters;
  CounterArray<RxLevel, kRxLevelCount> levels;
  CounterArray<DropReason, kDropReasonCount> drops;
  CounterArray<SystemCall, kSystemCallCount> system_calls;
  CounterArray<WakeCause, kWakeCauseCount> wakes;
  CounterArray<ErrorKind, kErrorKindCount> errors;
  Histogram<7> batch_size;  // Packets of each look that found some: 1, 2, … 64, more.
};

struct TxQueueBlock {
  CounterArray<TxCounter, kTxCounterCount> counters;
  CounterArray<TxLevel, kTxLevelCount> levels;
  CounterArray<DropReason, kDropReasonCount> drops;
  CounterArray<SystemCall, kSystemCallCount> system_calls;
  CounterArray<WakeCause, kWakeCauseCount> wakes;
  CounterArray<FlushCause, kFlushCauseCount> flushes;
  CounterArray<ErrorKind, kErrorKindCount> errors;
  Histogram<7> batch_size;          // Packets of each Send.
  Histogram<20> hold_microseconds;  // From the first packet held to the flush: 1 µs … 0.5 s, more.
};

struct WorkerBlock {
  CounterArray<WorkerCounter, kWorkerCounterCount> counters;
  CounterArray<WorkerLevel, kWorkerLevelCount> levels;
  CounterArray<SystemCall, kSystemCallCount> system_calls;
  CounterArray<WakeCause, kWakeCauseCount> wakes;
  Histogram<20> wake_to_packet_microseconds;  // From the end of a sleep to the first packet.
};

struct PortBlock {
  CounterArray<PortCounter, kPortCounterCount> counters;
};

// Who a slot belongs to.
struct SlotIdentity {
  SlotKind kind = SlotKind::kFree;
  uint32_t queue = 0;   // Of queues.
  uint32_t worker = 0;  // Of queues: who polls or owns it. Of workers: its own number.
  char port[kPortNameSize] = {};
};

struct alignas(64) Slot {
  Slot() : tx() {}  // The largest block: all of the union is zero.

  std::atomic<uint32_t> generation;  // Odd while the identity changes. Written by control.
  SlotIdentity identity;             // Written by control.
  union alignas(64) {
    RxQueueBlock rx;
    TxQueueBlock tx;
    WorkerBlock worker;
    PortBlock port;
  };
};

// Counts of queues that no longer exist, so that the books of the whole gateway stay complete.
// Written by control. Levels stay 0.
struct Retired {
  RxQueueBlock rx;
  TxQueueBlock tx;
};

struct alignas(64) Header {
  uint64_t magic;
  uint64_t layout_hash;  // kLayoutHash of the writer.
  uint64_t file_size;
  uint64_t tsc_hz;  // TSC cycles per second, to turn cycles into time.
  uint64_t start_unix_nanoseconds;
  int64_t pid;
  char boot_id[kBootIdSize];
  std::atomic<uint32_t> retired_generation;  // Odd while `retired` changes and a slot is freed.
  Retired retired;
};

static_assert(sizeof(TxQueueBlock) >= sizeof(RxQueueBlock) &&
              sizeof(TxQueueBlock) >= sizeof(WorkerBlock));

struct LedgerFile {
  Header header;
  Slot slots[kSlotCount];
};

namespace internal {

constexpr uint64_t HashBytes(uint64_t hash, std::string_view bytes) {
  for (const char c : bytes) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;  // FNV-1a.
  }
  return hash;
}

template <std::size_t kCount>
constexpr uint64_t HashNames(uint64_t hash, const std::array<Name, kCount>& names) {
  for (const Name& name : names) hash = HashBytes(HashBytes(hash, name.name), ",");
  return HashBytes(hash, ";");
}

constexpr uint64_t LayoutHash() {
  uint64_t hash = 0xcbf29ce484222325;
  hash = HashNames(hash, kRxCounterNames);
  hash = HashNames(hash, kRxLevelNames);
  hash = HashNames(hash, kTxCounterNames);
  hash = HashNames(hash, kTxLevelNames);
  hash = HashNames(hash, kWorkerCounterNames);
  hash = HashNames(hash, kWorkerLevelNames);
  hash = HashNames(hash, kPortCounterNames);
  hash = HashNames(hash, kDropReasonNames);
  hash = HashNames(hash, kSystemCallNames);
  hash = HashNames(hash, kWakeCauseNames);
  hash = HashNames(hash, kFlushCauseNames);
  hash = HashNames(hash, kErrorKindNames);
  for (const std::size_t size : {sizeof(Header), sizeof(Slot), sizeof(LedgerFile)}) {
    hash = (hash ^ size) * 0x100000001b3;
  }
  return hash;
}

}  // namespace internal

// Differs between builds whose ledgers differ: a reader refuses what it does not know.
inline constexpr uint64_t kLayoutHash = internal::LayoutHash();

}  // namespace wakegate::ledger

#endif  // GATEWAY_LEDGER_LAYOUT_H_
