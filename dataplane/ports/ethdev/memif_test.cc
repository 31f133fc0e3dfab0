// A net_memif as the device of an ethdev port, in both roles.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "dataplane/kernel/file_descriptor.h"
#include "dataplane/packet/batch.h"
#include "dataplane/ports/ethdev/driver_callbacks.h"
#include "dataplane/ports/ethdev/fixture_for_test.h"
#include "gateway/files/temporary_folder.h"
#include "gateway/testing/eventually.h"

namespace wakegate {
namespace {

using ledger::DropReason;
using ::testing::HasSubstr;

constexpr char kDriver[] = "net_memif";

// Of this process alone: abstract names are those of the whole network namespace, in which a
// process of the same number may run this too.
std::string AbstractName(const std::string& name) {
  static const std::string process = std::to_string(std::random_device()());
  return name + "-" + process;
}
std::string MemifSocket(const std::string& name) {
  return ",socket-abstract=yes,socket=" + AbstractName(name);
}
// The two ends of a memif.
std::string MemifServer(const std::string& name) {
  return "net_memif0,role=server" + MemifSocket(name);
}
std::string MemifClient(const std::string& name) {
  return "net_memif1,role=client" + MemifSocket(name);
}

class MemifTest : public ::testing::Test {
 protected:
  testing::PoolForTest pool_{4095};
};

TEST_F(MemifTest, CarriesFramesOfAllSizesBothWays) {
  EthdevForTest server(MemifServer("wakegate-sizes"), pool_.get(), 2);
  EthdevForTest client(MemifClient("wakegate-sizes"), pool_.get(), 2);
  server.AwaitCarrier();
  client.AwaitCarrier();
  std::vector<testing::Bytes> frames;
  for (const uint32_t size : {14, 60, 1514, 1518, 2048, 2049, 9014}) {
    frames.push_back(testing::Pattern(size, size));
  }
  for (const uint32_t queue : {0, 1}) {
    // A client gives the server its buffers when it looks for packets first.
    Batch batch;
    client.rx(queue).Receive(batch);
    server.Send(frames, queue);
    EXPECT_EQ(client.Receive(frames.size(), queue), frames);
    client.Send(frames, queue);
    EXPECT_EQ(server.Receive(frames.size(), queue), frames);
  }
}

TEST_F(MemifTest, AServerWithoutItsPeerHasNoCarrierAndDropsByThatName) {
  EthdevForTest server(MemifServer("wakegate-peer"), pool_.get());
  server.Send(NumberedFrames(3));
  EXPECT_EQ(server.Dropped(DropReason::kLinkDown), 3U);
  EXPECT_FALSE(server.port().ReadDevice()->carrier);
  {
    EthdevForTest client(MemifClient("wakegate-peer"), pool_.get());
    server.AwaitCarrier();
  }
  EXPECT_TRUE(Eventually([&] { return !server.port().ReadDevice()->carrier; }));
}

TEST_F(MemifTest, AClientThatLostItsPeerMustBeOpenedAnew) {
  auto server = std::make_unique<EthdevForTest>(MemifServer("wakegate-lost"), pool_.get());
  EthdevForTest client(MemifClient("wakegate-lost"), pool_.get());
  client.AwaitCarrier();
  server.reset();
  EXPECT_TRUE(Eventually([&] { return !client.port().ReadDevice().ok(); }));
  EXPECT_THAT(client.port().ReadDevice().status().ToString(),
              HasSubstr("UNAVAILABLE: net_memif1 has lost its peer"));
}

TEST_F(MemifTest, AClientNeedsItsPeer) {
  EXPECT_THAT(OpenError(MemifClient("wakegate-none"), pool_.get()).ToString(),
              HasSubstr("FAILED_PRECONDITION: start net_memif1: its driver refused it"));
}

TEST_F(MemifTest, ADeviceThatWasRefusedIsTakenOnceItsArgumentsAreRight) {
  EXPECT_FALSE(OpenError("net_memif0,role=nonsense", pool_.get()).ok());
  EthdevForTest port(MemifServer("wakegate-right"), pool_.get());
}

// The driver unmaps the rings then.
TEST_F(MemifTest, AClientMayLoseItsPeerWhileAWorkerIsInIt) {
  for (int round = 0; round < 100; ++round) {
    const std::string name = "wakegate-unmap-" + std::to_string(round);
    auto server = std::make_unique<EthdevForTest>(MemifServer(name), pool_.get());
    EthdevForTest client(MemifClient(name), pool_.get());
    server->AwaitCarrier();
    client.AwaitCarrier();
    std::atomic<bool> looked = false;
    std::atomic<bool> stop = false;
    std::thread worker([&] {
      for (; !stop; looked = true) {
        Batch batch;
        client.rx().Receive(batch);
      }
    });
    EXPECT_TRUE(Eventually([&] { return looked.load(); }));
    server.reset();
    EXPECT_TRUE(Eventually([&] { return !client.port().ReadDevice().ok(); }));
    stop = true;
    worker.join();
  }
}

// A peer that has connected so far that the driver has to answer it. Not valid: nobody listens.
FileDescriptor ConnectTo(const std::string& abstract_name) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  abstract_name.copy(address.sun_path + 1, sizeof(address.sun_path) - 1);
  FileDescriptor peer(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  const auto size =
      static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + abstract_name.size());
  if (connect(peer.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0) {
    return FileDescriptor();
  }
  return peer;
}

bool IsAnswered(const FileDescriptor& peer, int patience_milliseconds) {
  pollfd wait = {.fd = peer.get(), .events = POLLIN, .revents = 0};
  return poll(&wait, 1, patience_milliseconds) == 1;
}

TEST_F(MemifTest, TheDriverWaitsUntilAWorkerIsOutside) {
  EthdevForTest server(MemifServer("wakegate-gate"), pool_.get());
  Gate gate;
  gate.Open();
  DriverCallbacksHeld(kDriver).CloseDuringCallbacks(gate);
  ASSERT_TRUE(gate.Enter());
  const FileDescriptor peer = ConnectTo(AbstractName("wakegate-gate"));
  EXPECT_FALSE(IsAnswered(peer, 100));
  EXPECT_FALSE(server.rx().Arm()) << "a worker would sleep, and nothing would wake it";
  gate.Leave();
  EXPECT_TRUE(IsAnswered(peer, 5000));
  DriverCallbacksHeld(kDriver).LeaveAlone(gate);
  EXPECT_TRUE(gate.Enter()) << "it was left closed";
  gate.Leave();
}

TEST_F(MemifTest, TheDriverWaitsWhileControlIsAtADevice) {
  EthdevForTest server(MemifServer("wakegate-held"), pool_.get());
  auto held = std::make_unique<DriverCallbacksHeld>(kDriver);
  const FileDescriptor peer = ConnectTo(AbstractName("wakegate-held"));
  EXPECT_FALSE(IsAnswered(peer, 100));
  held.reset();
  EXPECT_TRUE(IsAnswered(peer, 5000));
}

// The driver closes the connection, which DPDK is to wait for.
TEST_F(MemifTest, APeerMayGoBeforeItIsGreeted) {
  EthdevForTest server(MemifServer("wakegate-gone"), pool_.get());
  for (int round = 0; round < 20; ++round) {
    auto held = std::make_unique<DriverCallbacksHeld>(kDriver);
    EXPECT_TRUE(ConnectTo(AbstractName("wakegate-gone")).valid());
    held.reset();
    EXPECT_TRUE(IsAnswered(ConnectTo(AbstractName("wakegate-gone")), 5000));
  }
}

TEST_F(MemifTest, ASecondServerOnASocketIsTakenIfItsNumberIsAnother) {
  const TemporaryFolder folder;
  const std::string socket = ",role=server,socket-abstract=no,socket=" + folder.path() + "/socket";
  EthdevForTest first("net_memif0" + socket, pool_.get());
  EXPECT_THAT(OpenError("net_memif5" + socket, pool_.get()).ToString(),
              HasSubstr("its driver refused it"));
  const EthdevForTest second("net_memif2,id=1" + socket, pool_.get());
  EXPECT_FALSE(first.port().ReadDevice()->carrier);
}

// Else whoever connects has the driver at work for ever, and the name stays taken.
TEST_F(MemifTest, AServerThatIsClosedListensNoMore) {
  const auto files = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  };
  const std::string name = "wakegate-again";
  const std::string other = "net_memif1,id=1,role=server" + MemifSocket(name);
  auto first = std::make_unique<EthdevForTest>(MemifServer(name), pool_.get());
  first.reset();
  const auto before = files();
  for (int round = 0; round < 20; ++round) {
    first = std::make_unique<EthdevForTest>(MemifServer(name), pool_.get());
    auto second = std::make_unique<EthdevForTest>(other, pool_.get());
    first.reset();
    EXPECT_TRUE(IsAnswered(ConnectTo(AbstractName(name)), 5000)) << "of the other device";
    second.reset();
    EXPECT_FALSE(ConnectTo(AbstractName(name)).valid());
  }
  EXPECT_TRUE(Eventually([&] { return files() == before; })) << files() - before << " more";
}

}  // namespace
}  // namespace wakegate
