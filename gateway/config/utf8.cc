#include "gateway/config/utf8.h"

#include <cstddef>
#include <cstdint>

namespace wakegate {

bool IsUtf8(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    const auto first = static_cast<unsigned char>(text[i]);
    const std::size_t size = first < 0x80                    ? 1
                             : first >= 0xC2 && first < 0xE0 ? 2
                             : first >= 0xE0 && first < 0xF0 ? 3
                             : first >= 0xF0 && first < 0xF5 ? 4
                                                             : 0;
    if (size == 0 || size > text.size() - i) return false;
    uint32_t character = size == 1 ? first : first & (0x7F >> size);
    for (std::size_t j = i + 1; j < i + size; ++j) {
      if ((text[j] & 0xC0) != 0x80) return false;
      character = character << 6 | (text[j] & 0x3F);
    }
    const bool overlong = (size == 3 && character < 0x800) || (size == 4 && character < 0x10000);
    const bool surrogate = character >= 0xD800 && character < 0xE000;
    if (overlong || surrogate || character > 0x10FFFF) return false;
    i += size;
  }
  return true;
}

}  // namespace wakegate
