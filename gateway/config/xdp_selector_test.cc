#include "gateway/config/xdp_selector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace wakegate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(XdpSelectorTest, NothingAndAllBothMeanAll) {
  for (const char* text : {"", "all", " all "}) {
    const auto selector = ParseXdpSelector(text);
    ASSERT_TRUE(selector.ok()) << selector.status();
    EXPECT_TRUE(selector->all);
    EXPECT_THAT(selector->ether_types, IsEmpty());
  }
}

TEST(XdpSelectorTest, TermsOfEachKindInAnyOrder) {
  const auto selector =
      ParseXdpSelector("port=4789, ether_type=0x0806,protocol = 89, port=53, ether_type=34525");
  ASSERT_TRUE(selector.ok()) << selector.status();
  EXPECT_FALSE(selector->all);
  EXPECT_THAT(selector->ether_types, ElementsAre(0x0806, 0x86dd));
  EXPECT_THAT(selector->protocols, ElementsAre(89));
  EXPECT_THAT(selector->ports, ElementsAre(4789, 53));
}

TEST(XdpSelectorTest, WhatIsNoTermIsNamed) {
  for (const char* term : {"port=0", "port=65536", "port=", "port", "protocol=256", "vlan=1",
                           "ether_type=0x5ff", "ether_type=0x10000", "all", ""}) {
    const auto selector = ParseXdpSelector("protocol=1, " + std::string(term));
    EXPECT_EQ(selector.status().code(), absl::StatusCode::kInvalidArgument) << term;
    EXPECT_THAT(std::string(selector.status().message()),
                HasSubstr("\"" + std::string(term) + "\" is no term"));
  }
}

TEST(XdpSelectorTest, MoreTermsThanFitAreRefused) {
  std::string text = "port=1";
  for (int port = 2; port <= 16; ++port) text += ",port=" + std::to_string(port);
  EXPECT_TRUE(ParseXdpSelector(text).ok());
  EXPECT_THAT(std::string(ParseXdpSelector(text + ",protocol=1").status().message()),
              HasSubstr("more than 16"));
}

}  // namespace
}  // namespace wakegate
