// Busy polling of a veth's NAPI instance, which the device does not link to its queue.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <net/if.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <sstream>
#include <string>

#include "dataplane/netdev/namespace_for_test.h"
#include "dataplane/netdev/napi.h"
#include "dataplane/ports/af_xdp/fixture_for_test.h"
#include "dataplane/ports/af_xdp/found_deferral.h"
#include "gateway/files/temporary_folder.h"

namespace wakegate {
namespace {

using ledger::RxCounter;
using std::chrono::microseconds;
using ::testing::HasSubstr;

constexpr QueueTuning kOn = {.busy_poll = BusyPollWish::kOn,
                             .busy_poll_time = microseconds(20),
                             .busy_budget = 64,
                             .napi_defer_hard_irqs = 2,
                             .gro_flush_timeout = microseconds(20'000),
                             .cpu_is_shared = false};

class BusyPollTest : public AfXdpPeerTest {
 protected:
  BusyPollStatus Status() { return *port_->port().BusyPollStatusOf(0); }
  static Napi TheNapi() {
    const auto napis = ListNapis(static_cast<int>(if_nametoindex("veth0")));
    EXPECT_EQ(napis->size(), 1U);
    return napis->front();
  }
  static NapiDeferral Deferral() { return TheNapi().deferral; }
};

std::size_t FilesIn(const std::string& folder) {
  const std::filesystem::directory_iterator files(folder);
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

// By the kernel's own count, of the network namespace (man 8 nstat).
uint64_t KernelsBusyPolledPackets() {
  std::ifstream file("/proc/thread-self/net/netstat");
  std::string names;
  std::string values;
  while (std::getline(file, names) && std::getline(file, values)) {
    std::istringstream name_stream(names);
    std::istringstream value_stream(values);
    std::string name;
    std::string value;
    while (name_stream >> name && value_stream >> value) {
      if (name == "BusyPollRxPackets") return std::stoull(value);
    }
  }
  ADD_FAILURE() << "the kernel does not count BusyPollRxPackets";
  return 0;
}

TEST_F(BusyPollTest, OffTheQueueIsAnsweredFromMemory) {
  port_->port().Tune(0, {});
  EXPECT_EQ(Status().method, "off");
  EXPECT_EQ(Status().napi, TheNapi().id);
  EXPECT_FALSE(port_->rx().ready_word()->IsReady());
  EXPECT_EQ(Deferral(), NapiDeferral());
}

TEST_F(BusyPollTest, OnThePacketsArriveByOurOwnCalls) {
  port_->port().Tune(0, kOn);
  ASSERT_EQ(Status().method, "io_uring") << Status().text;
  EXPECT_TRUE(port_->rx().ready_word()->IsReady());
  EXPECT_EQ(port_->Receive(1, std::chrono::milliseconds(10)).size(), 0U);
  constexpr uint32_t kFrames = 200;
  uint32_t received = 0;
  for (uint32_t i = 0; i < kFrames; ++i) {
    peer_->Send(NumberedFrame(i));
    for (const Bytes& frame : port_->Receive(1)) {
      EXPECT_EQ(frame, NumberedFrame(received));
      ++received;
    }
  }
  EXPECT_EQ(received, kFrames);
  EXPECT_GT(Count(RxCounter::kBusyPolls), kFrames);
  EXPECT_GT(Count(RxCounter::kBusyPollPackets), kFrames / 2);
  EXPECT_GE(KernelsBusyPolledPackets(), Count(RxCounter::kBusyPollPackets));
}

TEST_F(BusyPollTest, WhatIsSetOfTheInstanceIsPutBack) {
  port_->port().Tune(0, kOn);
  EXPECT_EQ(Deferral(), (NapiDeferral{.hard_irqs = 2, .flush_timeout = microseconds(20'000)}));
  port_->port().Tune(0, {});
  EXPECT_EQ(Deferral(), NapiDeferral());
  EXPECT_FALSE(port_->rx().ready_word()->IsReady());
  port_->port().Tune(0, kOn);
  port_->Close();
  ASSERT_EQ(std::system("/usr/sbin/ethtool -K veth0 gro on"),
            0);  // It has an instance without XDP too.
  EXPECT_EQ(Deferral(), NapiDeferral());
}

TEST_F(BusyPollTest, WhoComesAfterAKilledProcessPutsBackWhatThatHadFound) {
  const TemporaryFolder folder;
  ASSERT_EQ(std::system("/usr/sbin/ethtool -K veth0 gro on"), 0);  // Its instance outlives XDP.
  port_ = nullptr;
  const Napi napi = TheNapi();
  const FoundDeferral found(folder.path(), napi);
  ASSERT_EQ(found.Keep(), absl::OkStatus());
  ASSERT_EQ(SetNapiDeferral(napi.id, {.hard_irqs = 5, .flush_timeout = microseconds(7)}),
            absl::OkStatus());
  port_ = std::make_unique<XdpPortForTest>(pool_.get(), folder.path());
  OpenPort();
  port_->port().Tune(0, {});
  EXPECT_EQ(Status().napi, napi.id);
  EXPECT_EQ(Deferral(), NapiDeferral());
  const Napi others = {.id = napi.id, .deferral = {.hard_irqs = 1, .flush_timeout = {}}};
  EXPECT_EQ(FoundDeferral(folder.path(), others).value(), others.deferral) << "it is forgotten";
}

TEST_F(BusyPollTest, NoFileIsLeftOfAnInstanceThatIsGone) {
  const TemporaryFolder folder;
  port_ = std::make_unique<XdpPortForTest>(pool_.get(), folder.path());
  OpenPort();
  for (int round = 0; round < 3; ++round) {
    Ip("link set veth0 up");
    port_->port().Tune(0, kOn);
    EXPECT_EQ(FilesIn(folder.path()), 1U);
    Ip("link set veth0 down");
    port_->port().Tune(0, kOn);
    EXPECT_EQ(FilesIn(folder.path()), 0U);
  }
}

TEST_F(BusyPollTest, WithBothDeferralsZeroTheInstanceIsLeftAsItIs) {
  const NapiDeferral others = {.hard_irqs = 5, .flush_timeout = microseconds(7)};
  ASSERT_EQ(SetNapiDeferral(TheNapi().id, others), absl::OkStatus());
  QueueTuning tuning = kOn;
  tuning.napi_defer_hard_irqs = 0;
  tuning.gro_flush_timeout = microseconds(0);
  port_->port().Tune(0, tuning);
  EXPECT_EQ(Status().method, "io_uring") << Status().text;
  EXPECT_EQ(Deferral(), others);
}

TEST_F(BusyPollTest, AutoLeavesItOffAndSaysWhy) {
  QueueTuning tuning = kOn;
  tuning.busy_poll = BusyPollWish::kAuto;
  tuning.cpu_is_shared = true;
  port_->port().Tune(0, tuning);
  EXPECT_EQ(Status().method, "off");
  EXPECT_THAT(Status().text, HasSubstr("links no NAPI instance"));
  EXPECT_EQ(Count(RxCounter::kBusyPolls), 0U);
}

TEST_F(BusyPollTest, ThroughGenericXdpThereIsNoInstanceAndThatIsSaid) {
  peer_.reset();
  port_->Close();
  v1::AfXdpPort config = XdpConfig("veth0");
  config.set_mode("generic");
  OpenPort(config);
  port_->port().Tune(0, kOn);
  EXPECT_EQ(Status().method, "off");
  EXPECT_THAT(Status().text, HasSubstr("has no NAPI instance"));
}

}  // namespace
}  // namespace wakegate
