// Completes checksums that a packet's sender left to the device. Any thread that owns the packet.
#ifndef DATAPLANE_PACKET_CHECKSUM_H_
#define DATAPLANE_PACKET_CHECKSUM_H_

#include <rte_mbuf.h>

#include <cstdint>

namespace wakegate {

// Where the checksum of TCP and of UDP lies in their headers, and of SCTP.
inline constexpr uint32_t kTcpChecksumOffset = 16;
inline constexpr uint32_t kUdpChecksumOffset = 6;
inline constexpr uint32_t kSctpChecksumOffset = 8;

// The one's complement sum in 16 bits.
constexpr uint16_t FoldSum(uint64_t sum) {
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<uint16_t>(sum);
}

// Stores at `start` + `offset` the Internet checksum (RFC 1071) of all bytes from `start` to the
// packet's end. What is stored there so far counts too: the sum of the pseudo header. That is right
// for any protocol and below any IP header. A checksum of 0 is stored as 0xffff, which sums the
// same and does not say "none" (RFC 768). False, with the packet unchanged, where the place lies
// outside the packet.
bool CompleteInternetChecksum(rte_mbuf& packet, uint32_t start, uint32_t offset);

// As above, for the TCP or UDP checksum that the packet asks for with its offload flags, which it
// then no longer does.
bool CompleteRequestedChecksum(rte_mbuf& packet);

// Stores the CRC32c (RFC 9260, appendix A) of the SCTP packet from `start` to the packet's end.
// False as above.
bool CompleteSctpChecksum(rte_mbuf& packet, uint32_t start);

}  // namespace wakegate

#endif  // DATAPLANE_PACKET_CHECKSUM_H_
