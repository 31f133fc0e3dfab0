// How a value from outside appears in an error. Pure.
#ifndef GATEWAY_CONFIG_QUOTE_H_
#define GATEWAY_CONFIG_QUOTE_H_

#include <span>
#include <string>
#include <string_view>

namespace wakegate {

// In double quotes, printable, and never long: of more than 60 bytes only the beginning and the
// size are shown.
std::string Quoted(std::string_view value);

// The ending of an error about an unknown name: `; did you mean "tap0"?` where a known name is
// alike, otherwise `; known: tap0, veth0` with at most `kMaxKnownShown` names, otherwise empty.
inline constexpr int kMaxKnownShown = 20;
std::string SuggestName(std::string_view name, std::span<const std::string> known);

}  // namespace wakegate

#endif  // GATEWAY_CONFIG_QUOTE_H_
