#include "dataplane/ports/af_xdp/port.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <thread>

#include "dataplane/kernel/file_descriptor.h"
#include "dataplane/netdev/namespace_for_test.h"
#include "dataplane/ports/af_xdp/fixture_for_test.h"
#include "dataplane/testing/peer_for_test.h"

namespace wakegate {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

bool Shell(const std::string& command) { return std::system(command.c_str()) == 0; }

class AfXdpPortTest : public AfXdpTest {
 protected:
  void ExpectPasses(const std::string& peer_interface = "veth1") {
    PeerForTest peer(peer_interface);
    bool passed = false;
    for (uint32_t i = 0; i < 100 && !passed; ++i) {
      peer.Send(NumberedFrame(i));
      passed = !port_->Receive(1, 20ms).empty();
    }
    EXPECT_TRUE(passed);
    SendNumbered(1, 1);
    EXPECT_TRUE(port_->Flush());
    EXPECT_EQ(peer.Receive()->bytes, NumberedFrame(1));
  }
  static bool HasProgram() { return Shell("ip link show dev veth0 | grep -q xdp"); }
};

TEST_F(AfXdpPortTest, AMissingInterfaceIsNamed) {
  const absl::Status status = port_->Open(XdpConfig("veth9"));
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("veth9"));
}

TEST_F(AfXdpPortTest, ADeviceThatIsNotEthernetIsRefusedWithWhatToDo) {
  EXPECT_EQ(port_->Open(XdpConfig("lo")),
            absl::InvalidArgumentError(
                "open lo: not an Ethernet device (name a veth, a NIC, a bridge or the like)"));
}

TEST_F(AfXdpPortTest, WithoutCapabilitiesTheErrorSaysWhichAreMissing) {
  std::thread([this] {  // Capabilities are a thread's own.
    __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    __user_cap_data_struct data[2] = {};
    ASSERT_EQ(syscall(SYS_capset, &header, data), 0);
    EXPECT_THAT(std::string(port_->Open(XdpConfig("veth0")).message()),
                HasSubstr("Operation not permitted (needs CAP_"));
  })
      .join();
}

TEST_F(AfXdpPortTest, TooLittleLockedMemoryIsToldWithWhatToDo) {
  std::thread([this] {
    rlimit before;
    ASSERT_EQ(getrlimit(RLIMIT_MEMLOCK, &before), 0);
    const rlimit little = {.rlim_cur = 64 << 10, .rlim_max = before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_MEMLOCK, &little), 0);
    __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    __user_cap_data_struct data[2] = {};
    ASSERT_EQ(syscall(SYS_capget, &header, data), 0);
    data[0].effective &= ~(1U << CAP_IPC_LOCK);  // Of this thread alone.
    ASSERT_EQ(syscall(SYS_capset, &header, data), 0);
    EXPECT_THAT(std::string(port_->Open(XdpConfig("veth0")).message()),
                HasSubstr("(needs CAP_IPC_LOCK, or as much locked memory: ulimit -l)"));
    ASSERT_EQ(setrlimit(RLIMIT_MEMLOCK, &before), 0);
  }).join();
  EXPECT_FALSE(HasProgram());
}

TEST_F(AfXdpPortTest, EachModeWorksAndSaysWhatItCameTo) {
  for (const char* mode : {"auto", "copy", "generic"}) {
    v1::AfXdpPort config = XdpConfig("veth0");
    config.set_mode(mode);
    OpenPort(config);
    EXPECT_EQ(port_->port().mode(), config.mode() == "generic" ? "generic, copies, multi-buffer"
                                                               : "native, copies, multi-buffer");
    ExpectPasses();
    port_->Close();
    EXPECT_FALSE(HasProgram());
  }
}

TEST_F(AfXdpPortTest, ZeroCopyThatCannotBeHadIsRefusedWithTheReason) {
  v1::AfXdpPort config = XdpConfig("veth0");
  config.set_mode("zero_copy");
  EXPECT_THAT(std::string(port_->Open(config).message()), HasSubstr("needs hugepages"));
  EXPECT_FALSE(HasProgram());
}

// A bridge knows no XDP.
TEST_F(AfXdpPortTest, WhereTheDriverKnowsNoXdpTheKernelDoesItAndThePortSaysSo) {
  Ip("link add br0 type bridge");
  Ip("link set br0 up");
  OpenPort(XdpConfig("br0"));
  EXPECT_THAT(port_->port().mode(), HasSubstr("generic, copies"));
  EXPECT_THAT(port_->port().mode(), HasSubstr("its driver knows no XDP"));
  v1::AfXdpPort config = XdpConfig("br0");
  config.set_mode("copy");
  port_->Close();
  EXPECT_THAT(std::string(port_->Open(config).message()), HasSubstr("its driver knows no XDP"));
}

TEST_F(AfXdpPortTest, AForeignProgramIsLeftAloneAndNamed) {
  bpf_insn passes[2] = {};
  passes[0].code = BPF_ALU64 | BPF_MOV | BPF_K;
  passes[0].imm = XDP_PASS;
  passes[1].code = BPF_JMP | BPF_EXIT;
  const FileDescriptor program(bpf_prog_load(BPF_PROG_TYPE_XDP, "somebody_elses", "GPL", passes,
                                             std::size(passes), nullptr));
  ASSERT_TRUE(program.valid());
  const auto index = static_cast<int>(if_nametoindex("veth0"));
  for (const uint32_t flags : {XDP_FLAGS_DRV_MODE, XDP_FLAGS_SKB_MODE}) {
    ASSERT_EQ(bpf_xdp_attach(index, program.get(), flags, nullptr), 0);
    for (const char* mode : {"auto", "copy", "generic"}) {
      v1::AfXdpPort config = XdpConfig("veth0");
      config.set_mode(mode);
      const absl::Status status = port_->Open(config);
      EXPECT_EQ(status.code(), absl::StatusCode::kAlreadyExists) << status;
      EXPECT_THAT(std::string(status.message()),
                  HasSubstr("attach an XDP program to veth0: it has \"somebody_elses\" (id "));
      EXPECT_THAT(std::string(status.message()), HasSubstr("ip link set dev veth0 xdp off"));
      EXPECT_TRUE(HasProgram());
    }
    ASSERT_EQ(bpf_xdp_detach(index, flags, nullptr), 0);
  }
  OpenPort();
  ExpectPasses();
}

TEST_F(AfXdpPortTest, ADeviceThatAnotherGatewayHasIsRefused) {
  XdpPortForTest first(pool_.get());
  ASSERT_TRUE(first.Open(XdpConfig("veth0")).ok());
  const absl::Status status = port_->Open(XdpConfig("veth0"));
  EXPECT_EQ(status.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(std::string(status.message()), HasSubstr("another gateway has the device"));
}

TEST_F(AfXdpPortTest, OpenedAndClosedManyTimesInARowItIsNeverBusy) {
  for (int i = 0; i < 100; ++i) {
    OpenPort();
    port_->Close();
  }
  OpenPort();
  ExpectPasses();
}

TEST_F(AfXdpPortTest, TheDeviceIsReadAndChangedLive) {
  OpenPort();
  absl::StatusOr<DeviceState> state = port_->port().ReadDevice();
  ASSERT_TRUE(state.ok()) << state.status();
  EXPECT_TRUE(state->admin_up && state->carrier);
  EXPECT_EQ(state->mtu, 1500U);
  EXPECT_EQ(state->mac_address, "02:00:00:00:00:01");
  EXPECT_TRUE(port_->port().SetMtu(9000).ok());
  EXPECT_TRUE(port_->port().SetAdminUp(false).ok());
  state = port_->port().ReadDevice();
  EXPECT_EQ(state->mtu, 9000U);
  EXPECT_FALSE(state->admin_up || state->carrier);
  ASSERT_TRUE(port_->port().SetAdminUp(true).ok());
  ExpectPasses();
}

TEST_F(AfXdpPortTest, PromiscuousModeIsSetAndPutBack) {
  const auto is_promiscuous = [] {
    return Shell("ip -d -o link show veth0 | grep -q 'promiscuity 1'");
  };
  OpenPort();
  EXPECT_FALSE(is_promiscuous());
  EXPECT_TRUE(port_->port().SetPromiscuous(true).ok());
  EXPECT_TRUE(port_->port().SetPromiscuous(true).ok());
  EXPECT_TRUE(is_promiscuous());
  EXPECT_TRUE(port_->port().SetPromiscuous(false).ok());
  EXPECT_FALSE(is_promiscuous());
  EXPECT_TRUE(port_->port().SetPromiscuous(true).ok());
  port_->Close();
  EXPECT_FALSE(is_promiscuous());
}

TEST_F(AfXdpPortTest, ThePortStaysWithItsDeviceWhenThatIsRenamed) {
  OpenPort();
  Ip("link set veth0 down");
  Ip("link set veth0 name renamed");
  Ip("link set renamed up");
  EXPECT_EQ(port_->port().ReadDevice()->interface, "renamed");
  ExpectPasses();
}

TEST_F(AfXdpPortTest, ADeletedDeviceIsToldAndItsCountersStay) {
  OpenPort();
  ExpectPasses();
  Ip("link del veth0");
  EXPECT_TRUE(absl::IsNotFound(port_->port().ReadDevice().status()));
  EXPECT_TRUE(port_->rx().Arm()) << "the error that waits is taken out";
  Batch batch;
  EXPECT_EQ(port_->rx().Receive(batch), RxResult::kDrained);
}

TEST_F(AfXdpPortTest, ADeviceThatWasAwayForAMomentIsToldAndWorksOpenedAgain) {
  EnterOwnRunFolder();
  Ip("netns add blue");
  OpenPort();
  Ip("link set veth0 netns blue");
  EXPECT_TRUE(absl::IsNotFound(port_->port().ReadDevice().status()));
  Ip("-n blue link set veth0 netns " + std::to_string(getpid()));
  Ip("link set veth0 up");
  EXPECT_TRUE(port_->rx().Arm());
  EXPECT_TRUE(absl::IsUnavailable(port_->port().ReadDevice().status()));
  port_->Close();
  OpenPort();
  ExpectPasses();
}

TEST_F(AfXdpPortTest, ADeviceInAnotherNamespaceWorks) {
  EnterOwnRunFolder();
  Ip("netns add blue");
  Ip("link set veth0 netns blue");
  Ip("-n blue link set veth0 up");
  v1::AfXdpPort config = XdpConfig("veth0");
  config.set_network_namespace("blue");
  OpenPort(config);
  EXPECT_EQ(port_->port().ReadDevice()->network_namespace, "blue");
  EXPECT_TRUE(port_->port().SetPromiscuous(true).ok());
  EXPECT_TRUE(port_->port().SetMtu(1400).ok());
  EXPECT_TRUE(port_->port().SetMtu(1500).ok());
  ExpectPasses();
  port_->Close();
  config.set_interface("veth9");
  EXPECT_THAT(std::string(port_->Open(config).message()),
              ::testing::AllOf(HasSubstr("in network namespace blue: "), HasSubstr("veth9")));
}

TEST_F(AfXdpPortTest, WithoutASocketOnItAQueueIsTheHosts) {
  Ip("link del veth0");
  Ip("link add veth0 numrxqueues 2 numtxqueues 2 type veth peer name veth1 numrxqueues 2 "
     "numtxqueues 2");
  Ip("link set veth0 up");
  Ip("link set veth1 up");
  v1::AfXdpPort config = XdpConfig("veth0");
  config.set_queues(3);
  EXPECT_THAT(std::string(port_->Open(config).message()),
              HasSubstr("bind an AF_XDP socket to queue 2 of veth0: Invalid argument (it may have "
                        "fewer queues than the port wants"));
  config.set_queues(2);
  OpenPort(config);
  PeerForTest peer("veth1");
  for (uint32_t queue = 0; queue < 2; ++queue) {
    port_->Send({Packet(NumberedFrame(queue))}, queue);
    EXPECT_TRUE(port_->Flush(2s, queue));
    EXPECT_EQ(peer.Receive()->bytes, NumberedFrame(queue));
  }
  // Which queue a frame comes to is up to the sender's CPU.
  for (uint32_t i = 0; i < 20; ++i) peer.Send(NumberedFrame(i));
  const std::size_t on_first = port_->Receive(20, 200ms, 0).size();
  EXPECT_EQ(on_first + port_->Receive(20, 200ms, 1).size(), 20U);
}

class SelectorTest : public AfXdpPortTest {
 protected:
  void Open(const std::string& selector) {
    v1::AfXdpPort config = XdpConfig("veth0");
    config.set_selector(selector);
    OpenPort(config);
    peer_.emplace("veth1");
    host_.emplace("veth0");
  }
  // Whether the port takes the frame; if not, the host gets it.
  bool Takes(const Bytes& frame) {
    peer_->Send(frame);
    const bool port = !port_->Receive(1, 50ms).empty();
    const bool host = host_->Receive(50ms).has_value();
    EXPECT_NE(port, host);
    return port;
  }
  static testing::FrameSpec Spec(bool ipv6, uint8_t protocol, uint16_t port, bool tagged) {
    testing::FrameSpec spec = {.ipv6 = ipv6, .protocol = protocol, .destination_port = port};
    if (tagged) spec.tags = {{0x88a8, 7}, {0x8100, 100}};
    return spec;
  }

  std::optional<PeerForTest> peer_;
  std::optional<PeerForTest> host_;
};

TEST_F(SelectorTest, EverythingIsTakenWithoutOne) {
  Open("all");
  EXPECT_TRUE(Takes(NumberedFrame(1)));
  EXPECT_TRUE(Takes(testing::BuildFrame({})));
}

TEST_F(SelectorTest, AnEtherTypeIsTakenAlsoBehindTags) {
  Open("ether_type=0x88b5");
  EXPECT_TRUE(Takes(NumberedFrame(1)));
  Bytes tagged = NumberedFrame(1);
  const uint8_t tag[] = {0x81, 0x00, 0x00, 0x64};
  tagged.insert(tagged.begin() + 12, std::begin(tag), std::end(tag));
  EXPECT_TRUE(Takes(tagged));
  EXPECT_FALSE(Takes(testing::BuildFrame({})));
}

TEST_F(SelectorTest, ProtocolsAndPortsAreTakenOfBothIpVersionsAlsoBehindTags) {
  Open("protocol=89, port=4789, port=53");
  for (const bool ipv6 : {false, true}) {
    for (const bool tagged : {false, true}) {
      EXPECT_TRUE(Takes(testing::BuildFrame(Spec(ipv6, 89, 0, tagged))));
      EXPECT_TRUE(Takes(testing::BuildFrame(Spec(ipv6, IPPROTO_UDP, 4789, tagged))));
      EXPECT_TRUE(Takes(testing::BuildFrame(Spec(ipv6, IPPROTO_TCP, 53, tagged))));
      EXPECT_FALSE(Takes(testing::BuildFrame(Spec(ipv6, IPPROTO_TCP, 54, tagged))));
      EXPECT_FALSE(Takes(testing::BuildFrame(Spec(ipv6, IPPROTO_ICMP, 53, tagged))));
    }
  }
  EXPECT_FALSE(Takes(NumberedFrame(1)));
}

}  // namespace
}  // namespace wakegate
