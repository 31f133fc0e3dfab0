#include "dataplane/netdev/napi.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <net/if.h>

#include <cstdlib>
#include <string>

#include "dataplane/netdev/namespace_for_test.h"

namespace wakegate {
namespace {

using std::chrono::microseconds;

int IndexOf(const char* interface) { return static_cast<int>(if_nametoindex(interface)); }

class NapiTest : public ::testing::Test {
 protected:
  void SetUp() override {
    EnterNewNetworkNamespace();
    Ip("link add veth0 numrxqueues 3 type veth peer name veth1");
    ASSERT_EQ(std::system("/usr/sbin/ethtool -K veth0 gro on"), 0);  // Which gives it instances.
    Ip("link set veth0 up");
    Ip("link set veth1 up");
  }
};

TEST_F(NapiTest, AVethHasOneForEachReceiveQueueInTheirOrder) {
  const auto napis = ListNapis(IndexOf("veth0"));
  ASSERT_TRUE(napis.ok()) << napis.status();
  ASSERT_EQ(napis->size(), 3U);
  EXPECT_GT(napis->front().id, 0U);
  EXPECT_LT((*napis)[0].id, (*napis)[1].id);
  EXPECT_LT((*napis)[1].id, (*napis)[2].id);
}

TEST_F(NapiTest, ADeviceWithoutAnyHasNone) {
  const auto napis = ListNapis(IndexOf("veth1"));
  ASSERT_TRUE(napis.ok()) << napis.status();
  EXPECT_EQ(napis->size(), 0U);
}

TEST_F(NapiTest, ADeviceThatIsNotThereIsAnErrorThatNamesIt) {
  EXPECT_THAT(std::string(ListNapis(4711).status().message()), ::testing::HasSubstr("4711"));
}

TEST_F(NapiTest, TheDeferralOfOneIsSetAndReadBack) {
  const NapiDeferral wanted = {.hard_irqs = 2, .flush_timeout = microseconds(200)};
  const auto before = ListNapis(IndexOf("veth0"));
  ASSERT_TRUE(before.ok()) << before.status();
  ASSERT_EQ(SetNapiDeferral((*before)[1].id, wanted), absl::OkStatus());
  const auto after = ListNapis(IndexOf("veth0"));
  EXPECT_EQ((*after)[0].deferral, NapiDeferral());
  EXPECT_EQ((*after)[1].deferral, wanted);
}

TEST_F(NapiTest, OneThatIsNotThereIsAnErrorThatNamesIt) {
  const std::string message(SetNapiDeferral(4711, {}).message());
  EXPECT_THAT(message, ::testing::HasSubstr("4711"));
}

}  // namespace
}  // namespace wakegate
