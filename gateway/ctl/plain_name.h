// Enumerators as people read them. Pure.
#ifndef GATEWAY_CTL_PLAIN_NAME_H_
#define GATEWAY_CTL_PLAIN_NAME_H_

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace wakegate {

// "STATE_NO_CARRIER" as "no carrier", with the prefix "STATE_".
inline std::string PlainName(const std::string& enumerator, absl::string_view prefix) {
  std::string word = absl::AsciiStrToLower(absl::StripPrefix(enumerator, prefix));
  for (char& c : word) {
    if (c == '_') c = ' ';
  }
  return word;
}

}  // namespace wakegate

#endif  // GATEWAY_CTL_PLAIN_NAME_H_
