#include "gateway/config/xdp_selector.h"

#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "gateway/config/quote.h"

namespace wakegate {
namespace {

// What is less is a length (IEEE 802.3, 3.2.6).
constexpr uint32_t kLeastEtherType = 0x600;

// Decimal, or hexadecimal after 0x.
bool ParseNumber(absl::string_view text, uint32_t least, uint32_t most, uint32_t& number) {
  const bool hexadecimal = absl::ConsumePrefix(&text, "0x");
  const bool parsed =
      hexadecimal ? absl::SimpleHexAtoi(text, &number) : absl::SimpleAtoi(text, &number);
  return parsed && number >= least && number <= most;
}

bool ParseTerm(absl::string_view term, XdpSelector& selector) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(term, absl::MaxSplits('=', 1));
  const absl::string_view name = absl::StripAsciiWhitespace(parts.first);
  const absl::string_view value = absl::StripAsciiWhitespace(parts.second);
  uint32_t number = 0;
  if (name == "ether_type" && ParseNumber(value, kLeastEtherType, UINT16_MAX, number)) {
    selector.ether_types.push_back(static_cast<uint16_t>(number));
  } else if (name == "protocol" && ParseNumber(value, 0, UINT8_MAX, number)) {
    selector.protocols.push_back(static_cast<uint8_t>(number));
  } else if (name == "port" && ParseNumber(value, 1, UINT16_MAX, number)) {
    selector.ports.push_back(static_cast<uint16_t>(number));
  } else {
    return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<XdpSelector> ParseXdpSelector(std::string_view text) {
  XdpSelector selector;
  const absl::string_view whole =
      absl::StripAsciiWhitespace(absl::string_view(text.data(), text.size()));
  if (whole.empty() || whole == "all") {
    selector.all = true;
    return selector;
  }
  std::size_t terms = 0;
  for (const absl::string_view part : absl::StrSplit(whole, ',')) {
    const absl::string_view term = absl::StripAsciiWhitespace(part);
    if (!ParseTerm(term, selector)) {
      return absl::InvalidArgumentError(
          absl::StrCat(Quoted({term.data(), term.size()}),
                       " is no term; write ether_type=0x0806, protocol=89 or port=4789, or \"all\" "
                       "alone"));
    }
    if (++terms > XdpSelector::kMaxTerms) {
      return absl::InvalidArgumentError(
          absl::StrCat("more than ", XdpSelector::kMaxTerms, " terms"));
    }
  }
  return selector;
}

}  // namespace wakegate
