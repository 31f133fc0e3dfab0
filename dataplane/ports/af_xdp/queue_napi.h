// Which NAPI instance (netdev/napi.h) serves a queue.
#ifndef DATAPLANE_PORTS_AF_XDP_QUEUE_NAPI_H_
#define DATAPLANE_PORTS_AF_XDP_QUEUE_NAPI_H_

#include <cstdint>
#include <string>

#include "dataplane/netdev/napi.h"

namespace wakegate {

struct QueueNapi {
  Napi napi;                  // Id 0: not known.
  bool linked = false;        // The driver tells the socket which one it is.
  std::string why_not_known;  // Where it is not.
};

// Of an AF_XDP socket that is bound to the queue of a device of the calling thread's network
// namespace. `is_veth`: which has an instance for each queue, in their order, and links none
// (veth_napi_add in drivers/net/veth.c). Some drivers tell the instance with the first packet; a
// device that is down may have none. Control thread.
QueueNapi FindQueueNapi(int socket, uint32_t queue, int interface_index, bool is_veth);

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_AF_XDP_QUEUE_NAPI_H_
