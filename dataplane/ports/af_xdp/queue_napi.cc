#include "dataplane/ports/af_xdp/queue_napi.h"

#include <sys/socket.h>

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"

namespace wakegate {
namespace {

// The instance that the driver has told the socket; 0: none.
uint32_t LinkedNapi(int socket) {
  uint32_t napi = 0;
  socklen_t size = sizeof(napi);
  return getsockopt(socket, SOL_SOCKET, SO_INCOMING_NAPI_ID, &napi, &size) == 0 ? napi : 0;
}

}  // namespace

QueueNapi FindQueueNapi(int socket, uint32_t queue, int interface_index, bool is_veth) {
  QueueNapi found;
  const absl::StatusOr<std::vector<Napi>> napis = ListNapis(interface_index);
  const uint32_t linked = LinkedNapi(socket);
  if (linked != 0) {
    found.linked = true;
    found.napi.id = linked;
    if (!napis.ok()) return found;
    const auto same = std::ranges::find(*napis, linked, &Napi::id);
    if (same != napis->end()) found.napi = *same;
  } else if (!napis.ok()) {
    found.why_not_known = std::string(napis.status().message());
  } else if (queue < napis->size() && (is_veth || napis->size() == 1)) {
    found.napi = (*napis)[queue];
  } else if (napis->empty()) {
    found.why_not_known = "the device has no NAPI instance, or is down";
  } else {
    found.why_not_known = absl::StrCat("of ", napis->size(),
                                       " NAPI instances the device does not say which serves "
                                       "the queue");
  }
  return found;
}

}  // namespace wakegate
