#include "tests/conformance/device_host.h"

#include <utility>

namespace wakegate::testing {

std::optional<Bytes> DeviceHost::Receive(std::chrono::milliseconds patience) {
  // An error that waits in the socket, such as that the device went down, ends a look early.
  const auto end = std::chrono::steady_clock::now() + patience;
  for (auto left = patience; left.count() >= 0;
       left = std::chrono::duration_cast<std::chrono::milliseconds>(
           end - std::chrono::steady_clock::now())) {
    if (auto frame = socket_->Receive(left)) return std::move(frame->bytes);
    if (left.count() == 0) break;
  }
  return std::nullopt;
}

}  // namespace wakegate::testing
