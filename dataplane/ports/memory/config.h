// What the configuration says of a memory port.
#ifndef DATAPLANE_PORTS_MEMORY_CONFIG_H_
#define DATAPLANE_PORTS_MEMORY_CONFIG_H_

#include <cstdint>
#include <string>

#include "wakegate/v1/config.pb.h"

namespace wakegate {

struct MemoryPortConfig {
  std::string cable;
  uint32_t queues = 1;
  uint32_t ring_packets = 1024;
  // Packets that a transmit queue holds while the ring is full.
  uint32_t backlog_packets = 64;
};

// `port` is valid and has its defaults.
inline MemoryPortConfig MakeMemoryPortConfig(const v1::MemoryPort& port) {
  return {.cable = port.cable(), .queues = port.queues(), .ring_packets = port.ring_packets()};
}

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_MEMORY_CONFIG_H_
