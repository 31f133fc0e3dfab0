#include "dataplane/packet/adapt.h"

#include "dataplane/packet/checksum.h"
#include "dataplane/packet/headers.h"
#include "dataplane/packet/linearize.h"
#include "dataplane/packet/offload.h"
#include "dataplane/packet/segment.h"

namespace wakegate {
namespace {

using ledger::DropReason;
using ledger::RxCounter;

// Whether all packets fit as they are, or a closer look is needed. No branch for each packet or
// kind of it: whatever does not fit sets a bit.
bool AllFit(Batch& batch, const TransmitCapabilities& capabilities) {
  const uint64_t flags =
      capabilities.checksum ? kSegmentationFlags : kSegmentationFlags | RTE_MBUF_F_TX_L4_MASK;
  const uint32_t max_mbufs = capabilities.chains ? UINT16_MAX : 1;
  uint64_t misfit = 0;
  for (const rte_mbuf* packet : batch.packets()) {
    misfit |= packet->ol_flags & flags;
    misfit |= packet->nb_segs > max_mbufs;
    misfit |= packet->pkt_len - kEthernetBytes > capabilities.mtu;  // A runt wraps around.
  }
  return misfit == 0;
}

class Adapter {
 public:
  Adapter(const TransmitCapabilities& capabilities, rte_mempool* pool, ledger::RxQueueBlock& block,
          absl::FunctionRef<void(Batch&)> transmit)
      : capabilities_(capabilities), pool_(pool), block_(block), transmit_(transmit) {}

  void Take(rte_mbuf* packet) {
    if (packet->pkt_len < kEthernetBytes) return Drop(packet, DropReason::kRunt);
    if (AsksForSegmentation(*packet)) return TakeSuperFrame(packet);
    if (!FitsMtu(*packet)) return Drop(packet, DropReason::kTooLong);
    if (HasOffload(*packet) && !capabilities_.checksum) {
      if (!CompleteRequestedChecksum(*packet)) return Drop(packet, DropReason::kBadOffload);
      block_.counters[RxCounter::kChecksumsCompleted].Add(1);
    }
    TakeFinished(packet);
  }

  void Flush() {
    if (!out_.empty()) transmit_(out_);
  }

 private:
  bool FitsMtu(const rte_mbuf& packet) const {
    if (packet.pkt_len - kEthernetBytes <= capabilities_.mtu) return true;
    return packet.pkt_len - ParseHeaders(packet).l2_len <= capabilities_.mtu;
  }

  // Of a packet that asks for segmentation: whether the port does it.
  bool PortSegments(const rte_mbuf& packet) const {
    if (packet.nb_segs > 1 && !capabilities_.chains) return false;
    if ((packet.ol_flags & RTE_MBUF_F_TX_UDP_SEG) != 0) return capabilities_.udp_segmentation;
    return (packet.ol_flags & RTE_MBUF_F_TX_IPV4) != 0 ? capabilities_.tcp4_segmentation
                                                       : capabilities_.tcp6_segmentation;
  }

  void TakeSuperFrame(rte_mbuf* packet) {
    // Neither IPv4 nor IPv6, or within a tunnel.
    if ((packet->ol_flags & (RTE_MBUF_F_TX_IPV4 | RTE_MBUF_F_TX_IPV6)) == 0 ||
        (packet->ol_flags & RTE_MBUF_F_TX_TUNNEL_MASK) != 0) {
      return Drop(packet, DropReason::kUnsupportedOffload);
    }
    const uint32_t count = CountSegments(*packet);
    if (count == 0) return Drop(packet, DropReason::kBadOffload);
    const uint32_t segment_bytes = LargestSegmentBytes(*packet);
    if (segment_bytes - packet->l2_len > capabilities_.mtu) {
      return Drop(packet, DropReason::kTooLong);
    }
    if (PortSegments(*packet)) return Emit(packet);
    if (!capabilities_.chains && !FitsOneBuffer(segment_bytes, pool_)) {
      return Drop(packet, DropReason::kTooLong);
    }
    EmitSegments(packet, count);
  }

  void EmitSegments(rte_mbuf* packet, uint32_t count) {
    rte_mbuf* segments[kMaxSegments];
    if (!Segment(*packet, pool_, {segments, count})) return Drop(packet, DropReason::kNoBuffer);
    rte_pktmbuf_free(packet);
    block_.counters[RxCounter::kSegmented].Add(1);
    block_.counters[RxCounter::kCreated].Add(count - 1);
    for (uint32_t i = 0; i < count; ++i) Emit(segments[i]);
  }

  // A packet that needs nothing more, but perhaps to be one mbuf.
  void TakeFinished(rte_mbuf* packet) {
    if (packet->nb_segs > 1 && !capabilities_.chains) {
      if (!FitsOneBuffer(packet->pkt_len, pool_)) return Drop(packet, DropReason::kTooLong);
      rte_mbuf* whole = Linearize(packet, pool_);
      if (whole == nullptr) return Drop(packet, DropReason::kNoBuffer);
      block_.counters[RxCounter::kCopied].Add(1);
      packet = whole;
    }
    Emit(packet);
  }

  void Emit(rte_mbuf* packet) {
    out_.Append(packet);
    if (out_.full()) transmit_(out_);
  }

  void Drop(rte_mbuf* packet, DropReason reason) {
    rte_pktmbuf_free(packet);
    block_.drops[reason].Add(1);
  }

  const TransmitCapabilities& capabilities_;
  rte_mempool* const pool_;
  ledger::RxQueueBlock& block_;
  const absl::FunctionRef<void(Batch&)> transmit_;
  Batch out_;
};

}  // namespace

void Adapt(Batch& in, const TransmitCapabilities& capabilities, rte_mempool* pool,
           ledger::RxQueueBlock& ledger, absl::FunctionRef<void(Batch&)> transmit) {
  if (in.empty()) return;
  if (AllFit(in, capabilities)) return transmit(in);
  Adapter adapter(capabilities, pool, ledger, transmit);
  for (rte_mbuf* packet : in.packets()) adapter.Take(packet);
  in.Clear();
  adapter.Flush();
}

}  // namespace wakegate
