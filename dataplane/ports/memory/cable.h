// The cables that memory ports are plugged into.
#ifndef DATAPLANE_PORTS_MEMORY_CABLE_H_
#define DATAPLANE_PORTS_MEMORY_CABLE_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "dataplane/ports/memory/ring.h"

namespace wakegate {

// Two ends, and for each queue pair a ring in each direction.
struct Cable {
  struct End {
    std::atomic<bool> taken = false;
    // Whether somebody receives here. Written by control, read by the workers of the other end.
    std::atomic<bool> plugged = false;
    std::vector<std::unique_ptr<MemoryRing>> incoming;  // One for each queue.
  };
  uint32_t ring_packets = 0;
  std::array<End, 2> ends;
};

// One end, held by a port or by a test. Plugged from the start. On destruction it is unplugged, and
// what lies in the rings towards it is lost, as on a wire.
class CableEnd {
 public:
  CableEnd(std::shared_ptr<Cable> cable, int end);
  ~CableEnd();
  CableEnd(const CableEnd&) = delete;
  CableEnd& operator=(const CableEnd&) = delete;

  uint32_t queues() const { return static_cast<uint32_t>(own().incoming.size()); }
  // What the other end sends to this one, and the other way round.
  MemoryRing& incoming(uint32_t queue) { return *own().incoming[queue]; }
  MemoryRing& outgoing(uint32_t queue) { return *peer().incoming[queue]; }
  const std::atomic<bool>& peer_plugged() const { return peer().plugged; }
  bool plugged() const { return own().plugged; }
  // Like an interface's administrative state: put down, the other end has no carrier.
  void SetPlugged(bool plugged) { cable_->ends[end_].plugged = plugged; }

 private:
  const Cable::End& own() const { return cable_->ends[end_]; }
  const Cable::End& peer() const { return cable_->ends[1 - end_]; }

  std::shared_ptr<Cable> cable_;
  int end_;
};

// Brings the two ends of a cable together by its name. A cable exists while one end is held.
// Control thread only.
class CableRegistry {
 public:
  // ALREADY_EXISTS: both ends are taken. INVALID_ARGUMENT: the other end has other sizes.
  absl::StatusOr<std::unique_ptr<CableEnd>> Plug(const std::string& name, uint32_t queues,
                                                 uint32_t ring_packets);

 private:
  std::map<std::string, std::weak_ptr<Cable>> cables_;
};

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_MEMORY_CABLE_H_
