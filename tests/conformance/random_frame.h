// Frames of no known protocol.
#ifndef TESTS_CONFORMANCE_RANDOM_FRAME_H_
#define TESTS_CONFORMANCE_RANDOM_FRAME_H_

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "dataplane/testing/frames.h"

namespace wakegate::testing {

// `size` bytes, at least 14: of EtherType 0x88b5 (for experiments, IEEE 802), with random content.
inline Bytes RandomFrame(std::size_t size, uint32_t seed) {
  Bytes frame = Pattern(size, seed);
  const uint8_t header[] = {2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x88, 0xb5};
  std::copy(std::begin(header), std::end(header), frame.begin());
  return frame;
}

}  // namespace wakegate::testing

#endif  // TESTS_CONFORMANCE_RANDOM_FRAME_H_
