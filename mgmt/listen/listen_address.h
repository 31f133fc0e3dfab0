// The TCP addresses that mgmt listens on.
#ifndef MGMT_LISTEN_LISTEN_ADDRESS_H_
#define MGMT_LISTEN_LISTEN_ADDRESS_H_

#include <sys/socket.h>

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace wakegate {

class ListenAddress {
 public:
  // "127.0.0.1:9470", "[::1]:9470", "localhost:9470"; port 0: any that is free. INVALID_ARGUMENT
  // for anything else, a name that DNS would have to know included.
  static absl::StatusOr<ListenAddress> Parse(std::string_view text);

  bool IsLoopback() const;
  // Whether one could listen there now: what listens in the end (gRPC, civetweb) does not say why
  // it cannot. `flag` is the option to change.
  absl::Status CheckFree(std::string_view flag) const;

  // Connects to what listens there, and hangs up.
  void Nudge() const;

  // The same with another port: the one that was chosen where this one is 0.
  ListenAddress WithPort(int port) const;
  // Numeric: "[::1]:9470".
  const std::string& text() const { return text_; }

 private:
  sockaddr_storage address_ = {};
  socklen_t size_ = 0;
  std::string text_;
};

}  // namespace wakegate

#endif  // MGMT_LISTEN_LISTEN_ADDRESS_H_
