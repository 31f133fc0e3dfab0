// A packet whose bytes are heap allocations of just their size: AddressSanitizer notices a read or
// write beyond them, which it cannot in the buffers of a pool.
#ifndef DATAPLANE_TESTING_HEAP_PACKET_H_
#define DATAPLANE_TESTING_HEAP_PACKET_H_

#include <rte_mbuf.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace wakegate::testing {

// To be read and changed in place, not to be freed, grown or given away. One thread.
class HeapPacket {
 public:
  // `sizes`: how many bytes go into the first, second, … mbuf; what remains goes into one more.
  explicit HeapPacket(std::span<const uint8_t> bytes, std::span<const uint16_t> sizes = {}) {
    const std::size_t packet_bytes = bytes.size();
    for (const uint16_t size : sizes) {
      AppendMbuf(bytes.first(size));
      bytes = bytes.subspan(size);
    }
    AppendMbuf(bytes);
    head().pkt_len = static_cast<uint32_t>(packet_bytes);
    head().nb_segs = static_cast<uint16_t>(mbufs_.size());
  }

  rte_mbuf& head() { return *mbufs_.front(); }

 private:
  void AppendMbuf(std::span<const uint8_t> bytes) {
    auto mbuf = std::make_unique<rte_mbuf>();
    auto data = std::make_unique<uint8_t[]>(bytes.size());
    std::copy(bytes.begin(), bytes.end(), data.get());
    mbuf->buf_addr = data.get();
    mbuf->data_len = static_cast<uint16_t>(bytes.size());
    if (!mbufs_.empty()) mbufs_.back()->next = mbuf.get();
    mbufs_.push_back(std::move(mbuf));
    data_.push_back(std::move(data));
  }

  std::vector<std::unique_ptr<rte_mbuf>> mbufs_;
  std::vector<std::unique_ptr<uint8_t[]>> data_;
};

}  // namespace wakegate::testing

#endif  // DATAPLANE_TESTING_HEAP_PACKET_H_
