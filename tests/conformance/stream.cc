#include "tests/conformance/stream.h"

#include <gtest/gtest.h>
#include <netinet/udp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>

#include "dataplane/testing/frames.h"

namespace wakegate::testing {
namespace {

constexpr uint16_t kPort = 5001;

// A socket of the server's that clients reach.
FileDescriptor Listen(const IpStack& server, IpVersion version, int type) {
  FileDescriptor socket = server.Socket(version, type);
  const int on = 1;
  setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  const Endpoint endpoint = server.At(version, kPort);
  EXPECT_EQ(bind(socket.get(), endpoint.get(), endpoint.size), 0) << std::strerror(errno);
  if (type == SOCK_STREAM) {
    EXPECT_EQ(listen(socket.get(), 1), 0) << std::strerror(errno);
  }
  return socket;
}

FileDescriptor Connect(const IpStack& client, const IpStack& server, IpVersion version, int type) {
  FileDescriptor socket = client.Socket(version, type);
  const Endpoint endpoint = server.At(version, kPort);
  EXPECT_EQ(connect(socket.get(), endpoint.get(), endpoint.size), 0) << std::strerror(errno);
  return socket;
}

// What all streams consist of, again and again. Its length is a prime: no size of packets or
// buffers divides it, so that nothing can be lost or exchanged unnoticed.
const Bytes& Content() {
  static const Bytes content = Pattern(1'000'003);
  return content;
}

void SendStream(int socket, uint64_t bytes) {
  for (uint64_t sent = 0; sent < bytes;) {
    const uint64_t at = sent % Content().size();
    const uint64_t size = std::min(Content().size() - at, bytes - sent);
    const ssize_t taken = send(socket, Content().data() + at, size, MSG_NOSIGNAL);
    ASSERT_GT(taken, 0) << "after " << sent << " bytes: " << std::strerror(errno);
    sent += static_cast<uint64_t>(taken);
  }
}

void ReceiveStream(int socket, uint64_t bytes) {
  Bytes buffer(1 << 16);
  for (uint64_t received = 0; received < bytes;) {
    const uint64_t at = received % Content().size();
    const uint64_t size = std::min({Content().size() - at, bytes - received, buffer.size()});
    const ssize_t got = recv(socket, buffer.data(), size, 0);
    ASSERT_GT(got, 0) << "after " << received << " bytes: " << std::strerror(errno);
    ASSERT_EQ(std::memcmp(buffer.data(), Content().data() + at, static_cast<std::size_t>(got)), 0)
        << "corrupt from byte " << received << " on";
    received += static_cast<uint64_t>(got);
  }
}

}  // namespace

void ExchangeOverTcp(const IpStack& client, const IpStack& server, IpVersion version,
                     uint64_t bytes, std::chrono::milliseconds read_after) {
  const FileDescriptor listener = Listen(server, version, SOCK_STREAM);
  const FileDescriptor client_end = Connect(client, server, version, SOCK_STREAM);
  const FileDescriptor server_end(accept(listener.get(), nullptr, nullptr));
  ASSERT_TRUE(server_end.valid()) << std::strerror(errno);
  std::thread there([&] { SendStream(client_end.get(), bytes); });
  std::thread back([&] { SendStream(server_end.get(), bytes); });
  std::thread client_reader([&] { ReceiveStream(client_end.get(), bytes); });
  std::this_thread::sleep_for(read_after);
  ReceiveStream(server_end.get(), bytes);
  // If the server has stopped to read, its client must not wait for it.
  if (::testing::Test::HasFailure()) shutdown(server_end.get(), SHUT_RDWR);
  for (std::thread* thread : {&there, &back, &client_reader}) thread->join();
}

void EchoOverUdp(const IpStack& client, const IpStack& server, IpVersion version, int datagrams) {
  const FileDescriptor server_end = Listen(server, version, SOCK_DGRAM);
  const FileDescriptor client_end = Connect(client, server, version, SOCK_DGRAM);
  Bytes buffer(65536);
  for (int i = 0; i < datagrams; ++i) {
    const Bytes sent =
        Pattern(1 + static_cast<std::size_t>(i) * 97 % 4000, static_cast<uint32_t>(i));
    ASSERT_EQ(send(client_end.get(), sent.data(), sent.size(), 0),
              static_cast<ssize_t>(sent.size()));
    Endpoint peer;
    peer.size = sizeof(peer.address);
    const ssize_t received = recvfrom(server_end.get(), buffer.data(), buffer.size(), 0,
                                      reinterpret_cast<sockaddr*>(&peer.address), &peer.size);
    ASSERT_EQ(received, static_cast<ssize_t>(sent.size())) << std::strerror(errno);
    ASSERT_TRUE(std::equal(sent.begin(), sent.end(), buffer.begin())) << "datagram " << i;
    ASSERT_EQ(sendto(server_end.get(), buffer.data(), sent.size(), 0, peer.get(), peer.size),
              received);
    ASSERT_EQ(recv(client_end.get(), buffer.data(), buffer.size(), 0), received)
        << std::strerror(errno);
    ASSERT_TRUE(std::equal(sent.begin(), sent.end(), buffer.begin())) << "answer " << i;
  }
}

void SendSegmentedUdp(const IpStack& client, const IpStack& server, IpVersion version) {
  constexpr int kSegmentBytes = 1200;
  constexpr std::size_t kBytes = 10 * kSegmentBytes + 100;
  const FileDescriptor server_end = Listen(server, version, SOCK_DGRAM);
  const FileDescriptor client_end = Connect(client, server, version, SOCK_DGRAM);
  ASSERT_EQ(
      setsockopt(client_end.get(), SOL_UDP, UDP_SEGMENT, &kSegmentBytes, sizeof(kSegmentBytes)), 0)
      << std::strerror(errno);
  const Bytes sent = Pattern(kBytes);
  ASSERT_EQ(send(client_end.get(), sent.data(), sent.size(), 0), static_cast<ssize_t>(kBytes))
      << std::strerror(errno);
  Bytes received;
  while (received.size() < kBytes) {
    Bytes datagram(65536);
    const ssize_t bytes = recv(server_end.get(), datagram.data(), datagram.size(), 0);
    ASSERT_GT(bytes, 0) << "after " << received.size() << " bytes: " << std::strerror(errno);
    EXPECT_LE(bytes, kSegmentBytes);
    received.insert(received.end(), datagram.begin(), datagram.begin() + bytes);
  }
  EXPECT_TRUE(received == sent);
}

}  // namespace wakegate::testing
