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
    return Set(request);
  }
  absl::Status Set(const v1::SetKnobRequest& request, uint32_t workers = 2) {
    absl::Status status = SetKnobIn(config_, request, workers);
    EXPECT_TRUE(Validate(config_).ok()) << Validate(config_);
    return status;
  }
  absl::Status SetOfWorkers(const std::string& value, std::optional<uint32_t> worker = {},
                            const std::string& knob = "idle_policy", uint32_t workers = 2) {
    v1::SetKnobRequest request;
    request.set_knob(knob);
    if (worker.has_value()) request.set_worker(*worker);
    request.set_value(value);
    return Set(request, workers);
  }
  // "16 on all, 8 on 1".
  std::string Settings() const {
    std::string text;
    for (const v1::KnobSetting& setting : config_.knobs()) {
      if (!text.empty()) text += ", ";
      text += setting.value() + " on " +
              (setting.has_queue()    ? std::to_string(setting.queue())
               : setting.has_worker() ? "worker " + std::to_string(setting.worker())
                                      : "all");
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

TEST_F(KnobEditTest, OneWorkerKeepsTheSettingOfAll) {
  ASSERT_TRUE(SetOfWorkers("poll").ok());
  ASSERT_TRUE(SetOfWorkers("interrupt", 1).ok());
  ASSERT_TRUE(SetOfWorkers("adaptive", 1).ok());
  EXPECT_EQ(Settings(), "poll on all, adaptive on worker 1");
  ASSERT_TRUE(SetOfWorkers("interrupt").ok());
  EXPECT_EQ(Settings(), "interrupt on all");
}

TEST_F(KnobEditTest, TimesAreKeptInTheirShortestForm) {
  ASSERT_TRUE(SetOfWorkers("0.05ms", {}, "idle_spin").ok());
  EXPECT_EQ(Settings(), "");
  ASSERT_TRUE(SetOfWorkers("0.2ms", {}, "idle_spin").ok());
  EXPECT_EQ(Settings(), "200us on all");
}

TEST_F(KnobEditTest, PlacesThatDoNotFitTheKnobAreInvalid) {
  EXPECT_EQ(SetOfWorkers("poll", 2),
            absl::InvalidArgumentError("worker: 2, but the data plane has workers 0 to 1"));
  EXPECT_EQ(Set("2", {}, "tap0", "worker"),
            absl::InvalidArgumentError("value: 2, but the data plane has workers 0 to 1"));
  EXPECT_EQ(
      SetOfWorkers("8", 0, "burst_size"),
      absl::InvalidArgumentError("worker: burst_size is a knob of ports; leave the worker out"));
  EXPECT_EQ(SetOfWorkers("8", {}, "burst_size"),
            absl::InvalidArgumentError("port: burst_size is a knob of ports; name one"));
  EXPECT_EQ(Set("poll", {}, "tap0", "idle_policy"),
            absl::InvalidArgumentError("port: idle_policy is a knob of workers; leave the port "
                                       "out, and name a worker, or none for all"));
  EXPECT_EQ(Settings(), "");
}

TEST_F(KnobEditTest, AnyWorkerIsGoodWhileTheDataPlaneIsNotKnown) {
  EXPECT_TRUE(SetOfWorkers("poll", 5, "idle_policy", 0).ok());
}

}  // namespace
}  // namespace wakegate
