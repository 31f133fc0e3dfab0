#include "mgmt/controller/knob_edit.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "gateway/config/text.h"
#include "gateway/config/validate.h"

namespace wakegate {
namespace {

class KnobEditTest : public testing::Test {
 protected:
  absl::Status Set(const std::string& value, std::optional<uint32_t> queue = {},
                   const std::string& port = "tap0", const std::string& knob = "burst_size") {
    v1::SetKnobRequest request;
    request.set_knob(knob);
    request.set_port(port);
    if (queue.has_value()) request.set_queue(*queue);
    request.set_value(value);
    absl::Status status = SetKnobIn(config_, request);
    EXPECT_TRUE(Validate(config_).ok()) << Validate(config_);
    return status;
  }
  // "16 on all, 8 on 1".
  std::string Settings() const {
    std::string text;
    for (const v1::KnobSetting& setting : config_.knobs()) {
      if (!text.empty()) text += ", ";
      text += setting.value() + " on " +
              (setting.has_queue() ? std::to_string(setting.queue()) : "all");
    }
    return text;
  }

  v1::GatewayConfig config_ = *ParseConfig("ports: [{name: tap0, tap: {queues: 2}}]", "test");
};

TEST_F(KnobEditTest, OneQueueKeepsTheSettingOfThePort) {
  ASSERT_TRUE(Set("16").ok());
  ASSERT_TRUE(Set("8", 1).ok());
  ASSERT_TRUE(Set("4", 1).ok());
  EXPECT_EQ(Settings(), "16 on all, 4 on 1");
}

TEST_F(KnobEditTest, AllQueuesReplaceSettingsOfSingleQueues) {
  ASSERT_TRUE(Set("8", 1).ok());
  ASSERT_TRUE(Set("16").ok());
  EXPECT_EQ(Settings(), "16 on all");
}

TEST_F(KnobEditTest, WhatHoldsAnywayIsNotKept) {
  ASSERT_TRUE(Set("32").ok());
  EXPECT_EQ(Settings(), "");
  ASSERT_TRUE(Set("16").ok());
  ASSERT_TRUE(Set("16", 1).ok());
  EXPECT_EQ(Settings(), "16 on all");
}

TEST_F(KnobEditTest, TheDefaultOfOneQueueIsKeptWhereThePortHasAnother) {
  ASSERT_TRUE(Set("16").ok());
  ASSERT_TRUE(Set("32", 0).ok());
  EXPECT_EQ(Settings(), "16 on all, 32 on 0");
}

TEST_F(KnobEditTest, WhatThereIsNotIsNotFound) {
  EXPECT_TRUE(absl::IsNotFound(Set("8", {}, "tap0", "burst_sise")));
  const absl::Status status = Set("8", {}, "tap1");
  EXPECT_TRUE(absl::IsNotFound(status));
  EXPECT_EQ(status.message(), "port: no port \"tap1\"; did you mean \"tap0\"?");
  EXPECT_EQ(Settings(), "");
}

TEST_F(KnobEditTest, ValuesAndQueuesOutOfRangeAreInvalid) {
  EXPECT_TRUE(absl::IsInvalidArgument(Set("0")));
  EXPECT_TRUE(absl::IsInvalidArgument(Set("many")));
  const absl::Status status = Set("8", 2);
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_EQ(status.message(), "queue: 2, but port \"tap0\" has queues 0 to 1");
  EXPECT_EQ(Settings(), "");
}

}  // namespace
}  // namespace wakegate
