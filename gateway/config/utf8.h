// What a text must be to travel in a message. Pure.
#ifndef GATEWAY_CONFIG_UTF8_H_
#define GATEWAY_CONFIG_UTF8_H_

#include <string_view>

namespace wakegate {

// Whether all of it is UTF-8 as RFC 3629 defines it. gRPC refuses messages whose strings are not.
bool IsUtf8(std::string_view text);

}  // namespace wakegate

#endif  // GATEWAY_CONFIG_UTF8_H_
