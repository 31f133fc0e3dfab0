// The port between real network stacks, over veths as they are made, without any ethtool.

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <rte_cycles.h>
#include <sys/socket.h>

#include <atomic>
#include <cstring>
#include <fstream>
#include <sstream>
#include <thread>

#include "dataplane/ports/af_packet/fixture_for_test.h"
#include "dataplane/ports/af_packet/other_namespace_for_test.h"

namespace wakegate {
namespace {

using ledger::SystemCall;
using namespace std::chrono_literals;

sockaddr_in Address(const char* ip, uint16_t port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  inet_pton(AF_INET, ip, &address.sin_addr);
  return address;
}

int BoundSocket(int type, const char* ip, uint16_t port) {
  const int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);
  const sockaddr_in address = Address(ip, port);
  EXPECT_EQ(bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  const timeval kPatience = {.tv_sec = 20, .tv_usec = 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof(kPatience));
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof(kPatience));
  return fd;
}

// The value of `name` of TCP in the calling thread's namespace.
long TcpCounter(const std::string& name) {
  std::ifstream file("/proc/thread-self/net/snmp");
  std::string names;
  std::string values;
  while (std::getline(file, names) && std::getline(file, values)) {
    if (!names.starts_with("Tcp:")) continue;
    std::istringstream name_stream(names);
    std::istringstream value_stream(values);
    std::string a_name;
    std::string value;
    while (name_stream >> a_name && value_stream >> value) {
      if (a_name == name) return std::stol(value);
    }
  }
  ADD_FAILURE() << "no " << name;
  return -1;
}

constexpr std::size_t kStreamBytes = 48 << 20;
constexpr std::size_t kChunkBytes = 1 << 20;

// A chunk of the stream that `seed` names.
Bytes Chunk(std::size_t number, uint32_t seed) {
  return testing::Pattern(kChunkBytes, static_cast<uint32_t>(number) * 31 + seed);
}

void WriteStream(int socket, uint32_t seed) {
  for (std::size_t i = 0; i < kStreamBytes / kChunkBytes; ++i) {
    const Bytes chunk = Chunk(i, seed);
    for (std::size_t done = 0; done < chunk.size();) {
      const ssize_t written = send(socket, chunk.data() + done, chunk.size() - done, MSG_NOSIGNAL);
      ASSERT_GT(written, 0) << std::strerror(errno);
      done += static_cast<std::size_t>(written);
    }
  }
}

void ReadStream(int socket, uint32_t seed) {
  Bytes received(kChunkBytes);
  for (std::size_t i = 0; i < kStreamBytes / kChunkBytes; ++i) {
    ASSERT_EQ(recv(socket, received.data(), received.size(), MSG_WAITALL),
              static_cast<ssize_t>(kChunkBytes))
        << std::strerror(errno);
    ASSERT_EQ(received, Chunk(i, seed)) << "chunk " << i;
  }
}

// Two hosts, each behind a veth of its own; the test's thread is the gateway in between.
class AfPacketStackTest : public AfPacketTest {
 protected:
  void SetUp() override {
    AfPacketTest::SetUp();
    Ip("link add veth2 type veth peer name veth3");
    Ip("link set veth2 up");
    MoveIn(left_, "veth1", "10.0.0.2");
    MoveIn(right_, "veth3", "10.0.0.3");
    left_port_ = std::make_unique<PortForTest>("veth0", pool_.get());
    right_port_ = std::make_unique<PortForTest>("veth2", pool_.get());
  }
  static void MoveIn(const OtherNamespaceForTest& host, const std::string& device,
                     const std::string& ip) {
    Ip("link set " + device + " netns " + host.path());
    host.Run([&] {
      Ip("addr add " + ip + "/24 dev " + device);
      Ip("link set " + device + " up");
    });
  }
  static void Forward(PortForTest& from, PortForTest& to) {
    Batch batch;
    from.rx().Receive(batch);
    to.tx().Send(batch, rte_rdtsc());
    to.tx().Flush(rte_rdtsc());
  }

  OtherNamespaceForTest left_;
  OtherNamespaceForTest right_;
  std::unique_ptr<PortForTest> left_port_;
  std::unique_ptr<PortForTest> right_port_;
};

TEST_F(AfPacketStackTest, TcpFlowsBothWaysAtOnceUnchanged) {
  int server = -1;
  int client = -1;
  right_.Run([&] {
    server = BoundSocket(SOCK_STREAM, "10.0.0.3", 5001);
    ASSERT_EQ(listen(server, 1), 0);
  });
  left_.Run([&] { client = BoundSocket(SOCK_STREAM, "10.0.0.2", 0); });

  std::atomic<bool> done = false;
  std::thread hosts([&] {
    const sockaddr_in to = Address("10.0.0.3", 5001);
    ASSERT_EQ(connect(client, reinterpret_cast<const sockaddr*>(&to), sizeof(to)), 0)
        << std::strerror(errno);
    const int accepted = accept(server, nullptr, nullptr);
    std::thread there([&] { WriteStream(client, 1); });
    std::thread there_end([&] { ReadStream(accepted, 1); });
    std::thread back([&] { WriteStream(accepted, 2); });
    ReadStream(client, 2);
    there.join();
    there_end.join();
    back.join();
    close(accepted);
    done = true;
  });
  while (!done && !HasFailure()) {
    Forward(*left_port_, *right_port_);
    Forward(*right_port_, *left_port_);
  }
  hosts.join();
  close(client);
  close(server);

  for (const OtherNamespaceForTest* host : {&left_, &right_}) {
    host->Run([] { EXPECT_EQ(TcpCounter("InCsumErrors"), 0); });
  }
  for (PortForTest* port : {left_port_.get(), right_port_.get()}) {
    EXPECT_EQ(Drops(port->rx_ledger()), 0U);
    EXPECT_GT(port->rx_ledger().system_calls[SystemCall::kReceive].Get(), 0U)
        << "no super-frame came";
    // Far fewer than there would be in segments of 1448 bytes.
    EXPECT_LT(port->tx_ledger().system_calls[SystemCall::kSend].Get(), kStreamBytes / 1448);
  }
}

// Were the kernel to refer to the ring's memory, it would be overwritten while it waits in the
// receiver's socket (docs/decisions/0003).
TEST_F(AfPacketStackTest, WhatAReceiverReadsLateIsWhatWasSent) {
  constexpr uint32_t kFrames = 2000;  // The ring has 64.
  PortForTest port("veth0", pool_.get(), 64, 64);
  int receiver = -1;
  left_.Run([&] {
    Ip("link set veth1 address 02:00:00:00:00:02");
    receiver = BoundSocket(SOCK_DGRAM, "10.0.0.2", 5002);
    const int kBytes = 32 << 20;
    ASSERT_EQ(setsockopt(receiver, SOL_SOCKET, SO_RCVBUFFORCE, &kBytes, sizeof(kBytes)), 0);
  });
  const auto payload = [](uint32_t number) { return testing::Pattern(1400, number); };
  for (uint32_t i = 0; i < kFrames; ++i) {
    port.Send({testing::MakePacket(
        pool_.get(), testing::BuildFrame({.protocol = IPPROTO_UDP, .payload = payload(i)}))});
    if (i % 16 == 15) {
      EXPECT_TRUE(port.Flush());
    }
  }
  EXPECT_TRUE(port.Flush());
  for (uint32_t i = 0; i < kFrames; ++i) {
    Bytes datagram(2000);
    const ssize_t bytes = recv(receiver, datagram.data(), datagram.size(), MSG_DONTWAIT);
    ASSERT_EQ(bytes, 1400) << "datagram " << i;
    datagram.resize(static_cast<std::size_t>(bytes));
    ASSERT_EQ(datagram, payload(i)) << "datagram " << i;
  }
  close(receiver);
  port.Close();
}

}  // namespace
}  // namespace wakegate
