// Real traffic between two IP stacks.
#ifndef TESTS_CONFORMANCE_STREAM_H_
#define TESTS_CONFORMANCE_STREAM_H_

#include <chrono>
#include <cstdint>

#include "tests/conformance/ip_stack.h"

namespace wakegate::testing {

// One TCP connection from `client` to `server`, and `bytes` of random content over it, each way at
// the same time; all of it must arrive unchanged. The server begins to read after `read_after`.
void ExchangeOverTcp(const IpStack& client, const IpStack& server, IpVersion version,
                     uint64_t bytes, std::chrono::milliseconds read_after = {});

// Datagrams of 1 byte to 4,000 bytes from `client` to `server`, each answered with what it
// contained; all must arrive unchanged.
void EchoOverUdp(const IpStack& client, const IpStack& server, IpVersion version, int datagrams);

// A burst of datagrams that the client's stack leaves for the device to segment (UDP_SEGMENT).
void SendSegmentedUdp(const IpStack& client, const IpStack& server, IpVersion version);

}  // namespace wakegate::testing

#endif  // TESTS_CONFORMANCE_STREAM_H_
