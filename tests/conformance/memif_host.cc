#include "tests/conformance/memif_host.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <thread>

#include "absl/strings/str_cat.h"
#include "dataplane/packet/batch.h"
#include "gateway/testing/eventually.h"

namespace wakegate::testing {
namespace {

using ledger::DropReason;

// DPDK knows devices by their names, of the whole process.
int NextNumber() {
  static int next = 0;
  return next++;
}

std::string Devargs(const char* role, int number, const std::string& folder) {
  return absl::StrCat("net_memif_", role, number, ",role=", role,
                      ",socket-abstract=no,socket=", folder, "/memif.sock");
}

}  // namespace

MemifHost::MemifHost(const std::string& port, GatewayForTest& gateway)
    : port_(port), gateway_(gateway), number_(NextNumber()) {}

std::string MemifHost::PortConfig() const {
  return absl::StrCat("ethdev: {devargs: \"", Devargs("server", number_, folder_.path()), "\"}");
}

void MemifHost::Attach() {
  end_.reset();
  end_ =
      std::make_unique<EthdevForTest>(Devargs("client", number_, folder_.path()), gateway_.pool());
  AwaitCarrier();
}

void MemifHost::AwaitCarrier() {
  end_->AwaitCarrier();
  EXPECT_TRUE(Eventually([this] {
    gateway_.gateway().Tick(/*devices_changed=*/true);
    return gateway_.PortStatus(port_).state() == v1::PortStatus::STATE_UP;
  }));
}

int MemifHost::Send(const Bytes& frame) {
  const auto refused = [this] {
    return end_->Dropped(DropReason::kLinkDown) + end_->Dropped(DropReason::kPortDown);
  };
  const uint64_t before = refused();
  end_->Send({frame});
  end_->Flush();
  return refused() == before ? 0 : ENETDOWN;
}

std::optional<Bytes> MemifHost::Receive(std::chrono::milliseconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  do {
    Batch batch(1);
    end_->rx().Receive(batch);
    end_->CountReceivedElsewhere(batch.size());
    if (!batch.empty()) {
      Bytes bytes = BytesOf(*batch[0]);
      rte_pktmbuf_free(batch[0]);
      return bytes;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  } while (std::chrono::steady_clock::now() < until);
  return std::nullopt;
}

void MemifHost::SetLink(bool up) {
  EXPECT_TRUE(end_->port().SetAdminUp(up).ok());
  EXPECT_TRUE(end_->port().ReadDevice().ok());
}

void MemifHost::SetMtu(uint32_t mtu) { EXPECT_TRUE(end_->port().SetMtu(mtu).ok()); }

void MemifHost::DeleteDevice() { FAIL() << "nobody else may take the device away"; }

}  // namespace wakegate::testing
