#include "gateway/config/devargs.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace wakegate {
namespace {

// Whether it is like `pattern`, where 'x' is any hexadecimal digit and '7' one from 0 to 7.
bool IsLike(std::string_view text, std::string_view pattern) {
  return std::equal(text.begin(), text.end(), pattern.begin(), pattern.end(), [](char c, char p) {
    if (p == 'x') return absl::ascii_isxdigit(static_cast<unsigned char>(c));
    if (p == '7') return c >= '0' && c <= '7';
    return c == p;
  });
}

}  // namespace

std::string DeviceOfDevargs(const std::string& devargs) {
  std::string device = devargs.substr(0, devargs.find(','));
  for (const char* bus : {"pci:", "vdev:"}) {
    if (absl::StartsWith(device, bus)) device.erase(0, absl::string_view(bus).size());
  }
  if (IsLike(device, "xxxx:xx:xx.7")) return absl::AsciiStrToLower(device);
  // Without a domain it is domain 0 (rte_pci_addr_parse).
  if (IsLike(device, "xx:xx.7")) return absl::StrCat("0000:", absl::AsciiStrToLower(device));
  return device;
}

}  // namespace wakegate
