#include "gateway/config/devargs.h"

#include <regex>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace wakegate {

std::string DeviceOfDevargs(const std::string& devargs) {
  std::string device = devargs.substr(0, devargs.find(','));
  for (const char* bus : {"pci:", "vdev:"}) {
    if (absl::StartsWith(device, bus)) device.erase(0, absl::string_view(bus).size());
  }
  // Without a domain it is domain 0 (rte_pci_addr_parse).
  static const std::regex pci_address("([0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\\.[0-7]");
  const std::string lower_case = absl::AsciiStrToLower(device);
  std::smatch match;
  if (!std::regex_match(lower_case, match, pci_address)) return device;
  return match[1].matched ? lower_case : absl::StrCat("0000:", lower_case);
}

}  // namespace wakegate
