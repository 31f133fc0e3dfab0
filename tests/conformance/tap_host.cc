#include "tests/conformance/tap_host.h"

#include "absl/strings/str_cat.h"
#include "dataplane/netdev/namespace_for_test.h"

namespace wakegate::testing {

std::string TapHost::PortConfig() const {
  return absl::StrCat("tap: {interface: ", interface_, "}");
}

void TapHost::SetLink(bool up) {
  Ip(absl::StrCat("link set dev ", interface_, up ? " up" : " down"));
}

void TapHost::DeleteDevice() { Ip(absl::StrCat("link del dev ", interface_)); }

std::unique_ptr<IpStack> TapHost::MakeIpStack(int number) {
  namespace_.emplace();
  Ip(absl::StrCat("link set dev ", interface_, " netns ", namespace_->path()));
  return std::make_unique<IpStack>(*namespace_, interface_, number);
}

}  // namespace wakegate::testing
