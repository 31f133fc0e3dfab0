#include "dataplane/ports/memory/cable.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace wakegate {
namespace {

absl::StatusOr<std::shared_ptr<Cable>> MakeCable(uint32_t queues, uint32_t ring_packets) {
  auto cable = std::make_shared<Cable>();
  cable->ring_packets = ring_packets;
  for (Cable::End& end : cable->ends) {
    for (uint32_t queue = 0; queue < queues; ++queue) {
      absl::StatusOr<std::unique_ptr<MemoryRing>> ring = MemoryRing::Create(ring_packets);
      if (!ring.ok()) return ring.status();
      end.incoming.push_back(*std::move(ring));
    }
  }
  return cable;
}

}  // namespace

CableEnd::CableEnd(std::shared_ptr<Cable> cable, int end) : cable_(std::move(cable)), end_(end) {
  cable_->ends[end_].taken = true;
  SetPlugged(true);
}

CableEnd::~CableEnd() {
  SetPlugged(false);
  for (const std::unique_ptr<MemoryRing>& ring : own().incoming) ring->Purge();
  cable_->ends[end_].taken = false;
}

absl::StatusOr<std::unique_ptr<CableEnd>> CableRegistry::Plug(const std::string& name,
                                                              uint32_t queues,
                                                              uint32_t ring_packets) {
  std::shared_ptr<Cable> cable = cables_[name].lock();
  if (cable == nullptr) {
    absl::StatusOr<std::shared_ptr<Cable>> made = MakeCable(queues, ring_packets);
    if (!made.ok()) return made.status();
    cable = *std::move(made);
    std::erase_if(cables_, [](const auto& entry) { return entry.second.expired(); });
    cables_[name] = cable;
  }
  if (cable->ends[0].incoming.size() != queues || cable->ring_packets != ring_packets) {
    return absl::InvalidArgumentError(
        absl::StrCat("cable ", name, ": this end wants ", queues, " queues of ", ring_packets,
                     " packets, the other has ", cable->ends[0].incoming.size(), " of ",
                     cable->ring_packets, "; give both ends the same"));
  }
  for (const int end : {0, 1}) {
    if (!cable->ends[end].taken) return std::make_unique<CableEnd>(cable, end);
  }
  return absl::AlreadyExistsError(absl::StrCat("cable ", name, ": both ends are taken"));
}

}  // namespace wakegate
