#include "tests/conformance/memory_host.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "dataplane/packet/packet_from_bytes.h"

namespace wakegate::testing {
std::string MemoryHost::PortConfig() const {
  return absl::StrCat("memory: {cable: ", cable_, ", queues: ", queues_,
                      ", ring_packets: ", kRingPackets, "}");
}

void MemoryHost::Attach() {
  end_.reset();
  auto end = gateway_.cables().Plug(cable_, queues_, kRingPackets);
  ASSERT_TRUE(end.ok()) << end.status();
  end_ = *std::move(end);
}

int MemoryHost::SendOn(uint32_t queue, const Bytes& frame) {
  if (!end_->plugged() || !end_->peer_plugged()) return ENETDOWN;
  rte_mbuf* packet = PacketFromBytes(frame, gateway_.pool());
  if (packet == nullptr) return ENOBUFS;
  if (end_->outgoing(queue).Put({&packet, 1}) == 0) {
    rte_pktmbuf_free(packet);
    return ENOBUFS;
  }
  end_->outgoing(queue).packets_bell().Ring();
  return 0;
}

std::optional<Bytes> MemoryHost::Receive(std::chrono::milliseconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  do {
    rte_mbuf* packet = nullptr;
    for (uint32_t queue = 0; queue < queues_; ++queue) {
      if (end_->incoming(queue).Get({&packet, 1}) == 0) continue;
      Bytes bytes = BytesOf(*packet);
      rte_pktmbuf_free(packet);
      return bytes;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  } while (std::chrono::steady_clock::now() < end);
  return std::nullopt;
}

void MemoryHost::DeleteDevice() { FAIL() << "a cable has no device"; }

}  // namespace wakegate::testing
