// Reads and writes bytes of a packet, wherever they are split between its mbufs. Any thread that
// owns the packet.
#ifndef DATAPLANE_PACKET_BYTES_H_
#define DATAPLANE_PACKET_BYTES_H_

#include <rte_mbuf.h>

#include <cstdint>
#include <cstring>

namespace wakegate {

// The header at `offset`: in the packet where it lies in one mbuf, else in `copy`, which it is then
// copied to. Null where the packet ends before it does.
template <class Header>
const Header* ReadHeader(const rte_mbuf& packet, uint32_t offset, Header& copy) {
  return static_cast<const Header*>(rte_pktmbuf_read(&packet, offset, sizeof(Header), &copy));
}

// Walks through a packet's bytes mbuf by mbuf, each byte once.
class ByteCursor {
 public:
  // `offset` is at most the packet's length.
  ByteCursor(const rte_mbuf& packet, uint32_t offset) : mbuf_(&packet), offset_(offset) {
    while (offset_ > mbuf_->data_len) {
      offset_ -= mbuf_->data_len;
      mbuf_ = mbuf_->next;
    }
  }

  // Calls `use(uint8_t* bytes, uint32_t size)` for each run of the next `size` bytes; the packet
  // has that many left. A run may be empty.
  template <class Use>
  void Advance(uint32_t size, Use use) {
    while (size > 0) {
      const uint32_t run = size < mbuf_->data_len - offset_ ? size : mbuf_->data_len - offset_;
      use(rte_pktmbuf_mtod_offset(mbuf_, uint8_t*, offset_), run);
      size -= run;
      offset_ += run;
      if (size > 0) {
        mbuf_ = mbuf_->next;
        offset_ = 0;
      }
    }
  }

 private:
  const rte_mbuf* mbuf_;
  uint32_t offset_;  // In mbuf_.
};

// Overwrites `size` bytes at `offset`; all of them are within the packet.
inline void WriteBytes(rte_mbuf& packet, uint32_t offset, const void* bytes, uint32_t size) {
  const auto* from = static_cast<const uint8_t*>(bytes);
  ByteCursor(packet, offset).Advance(size, [&from](uint8_t* to, uint32_t run) {
    std::memcpy(to, from, run);
    from += run;
  });
}

}  // namespace wakegate

#endif  // DATAPLANE_PACKET_BYTES_H_
