#include "mgmt/controller/controller.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "gateway/files/temporary_folder.h"
#include "gateway/paths/paths.h"
#include "mgmt/testing/configs.h"
#include "mgmt/testing/fake_dataplane.h"

namespace wakegate {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class ControllerTest : public testing::Test {
 protected:
  void SetUp() override {
    dataplane_.Start("boot-1");
    StartController();
  }
  void StartController() {
    controller_.reset();
    auto loaded = file_.Load();
    ASSERT_TRUE(loaded.ok()) << loaded.status();
    controller_ = std::make_unique<Controller>(client_, file_, *std::move(loaded));
  }
  uint64_t Apply(const v1::GatewayConfig& config) {
    const auto result = controller_->Apply(config, {});
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? result->generation : 0;
  }
  std::string StoredText() const {
    return AtomicFile(folder_.path() + "/config.json").Read().value_or("");
  }

  const TemporaryFolder folder_;
  FakeDataplane dataplane_{folder_.path()};
  DataplaneClient client_{DataplaneSocketPath(folder_.path())};
  StateFile file_{folder_.path() + "/config.json"};
  std::unique_ptr<Controller> controller_;
};

TEST_F(ControllerTest, ApplyRunsStoresAndShowsTheConfiguration) {
  const auto result = controller_->Apply(TapConfig({"tap0", "tap1"}), {});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->generation, 1U);
  ASSERT_EQ(result->changes.size(), 2U);
  EXPECT_EQ(result->changes[0].object(), "port tap0");
  EXPECT_EQ(dataplane_.config().ports_size(), 2);
  EXPECT_EQ(dataplane_.generation(), 1U);
  EXPECT_NE(StoredText().find("tap1"), std::string::npos);
  const auto view = controller_->view();
  EXPECT_EQ(view->desired.generation(), 1U);
  EXPECT_EQ(view->dataplane.ports_size(), 2);
  EXPECT_TRUE(view->in_sync());
}

TEST_F(ControllerTest, ApplyingTheSameAgainChangesNothing) {
  Apply(TapConfig({"tap0"}));
  const auto again = controller_->Apply(TapConfig({"tap0"}), {});
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->generation, 1U);
  EXPECT_TRUE(again->changes.empty());
  EXPECT_EQ(dataplane_.applies(), 1);
}

TEST_F(ControllerTest, DryRunShowsTheChangesAndMakesNone) {
  Apply(TapConfig({"tap0"}));
  const auto result = controller_->Apply(TapConfig({"tap1"}), {.dry_run = true});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->generation, 1U);
  EXPECT_EQ(result->changes.size(), 2U);
  EXPECT_EQ(dataplane_.config().ports(0).name(), "tap0");
  EXPECT_EQ(controller_->view()->desired.config().ports(0).name(), "tap0");
}

TEST_F(ControllerTest, AStaleGenerationIsAborted) {
  Apply(TapConfig({"tap0"}));
  Apply(TapConfig({"tap1"}));
  const auto result = controller_->Apply(TapConfig({"tap2"}), {.expected_generation = 1});
  EXPECT_TRUE(absl::IsAborted(result.status()));
  EXPECT_EQ(result.status().message(),
            "generation 1 was expected, but 2 is current: somebody else changed the "
            "configuration; read it again and repeat your change");
  EXPECT_TRUE(controller_->Apply(TapConfig({"tap2"}), {.expected_generation = 2}).ok());
}

TEST_F(ControllerTest, AnInvalidConfigurationReachesNobody) {
  Apply(TapConfig({"tap0"}));
  const auto result = controller_->Apply(TapConfig({"tap0", "tap0"}), {});
  EXPECT_TRUE(absl::IsInvalidArgument(result.status())) << result.status();
  EXPECT_EQ(dataplane_.applies(), 1);
  EXPECT_EQ(controller_->view()->desired.generation(), 1U);
}

TEST_F(ControllerTest, WhatTheDataPlaneRefusesIsNotKept) {
  Apply(TapConfig({"tap0"}));
  const std::string stored = StoredText();
  dataplane_.RefuseApplies(absl::NotFoundError("port veth9: no interface veth9"));
  const auto result = controller_->Apply(TapConfig({"veth9"}), {});
  EXPECT_EQ(result.status(), absl::NotFoundError("port veth9: no interface veth9"));
  EXPECT_EQ(controller_->view()->desired.generation(), 1U);
  EXPECT_TRUE(controller_->view()->in_sync());
  EXPECT_EQ(StoredText(), stored);
}

TEST_F(ControllerTest, WhileTheDataPlaneIsAwayNothingChanges) {
  Apply(TapConfig({"tap0"}));
  const std::string stored = StoredText();
  dataplane_.Kill();
  const auto result = controller_->Apply(TapConfig({"tap1"}), {});
  EXPECT_TRUE(absl::IsUnavailable(result.status())) << result.status();
  EXPECT_NE(result.status().message().find("is wakegate-dataplane running?"),
            absl::string_view::npos);
  EXPECT_EQ(controller_->view()->desired.config().ports(0).name(), "tap0");
  EXPECT_FALSE(controller_->view()->connection.ok());
  EXPECT_TRUE(absl::IsUnavailable(controller_->view()->ledger.status()));
  EXPECT_EQ(StoredText(), stored);
}

TEST_F(ControllerTest, NothingIsAppliedBeforeTheDataPlaneWasEverReached) {
  dataplane_.Kill();
  StartController();
  EXPECT_TRUE(absl::IsUnavailable(controller_->Apply(TapConfig({"tap0"}), {}).status()));
  EXPECT_TRUE(
      absl::IsUnavailable(controller_->Apply(TapConfig({"tap0"}), {.dry_run = true}).status()));
}

TEST_F(ControllerTest, WhenItCannotBeStoredItDoesNotRun) {
  Apply(TapConfig({"tap0"}));
  std::filesystem::create_symlink("/dev/full", folder_.path() + "/config.json.new");
  const auto result = controller_->Apply(TapConfig({"tap1"}), {});
  EXPECT_TRUE(absl::IsResourceExhausted(result.status())) << result.status();
  EXPECT_EQ(dataplane_.config().ports(0).name(), "tap0");
  EXPECT_EQ(dataplane_.applies(), 1);
}

TEST_F(ControllerTest, WhenItCannotBeStoredForGoodTheOldConfigurationRunsAgain) {
  Apply(TapConfig({"tap0"}));
  // A folder in the file's place: Prepare works, the rename does not.
  std::filesystem::remove(folder_.path() + "/config.json");
  std::filesystem::create_directory(folder_.path() + "/config.json");
  const auto result = controller_->Apply(TapConfig({"tap1"}), {});
  EXPECT_FALSE(result.ok());
  EXPECT_EQ(dataplane_.config().ports(0).name(), "tap0");
  EXPECT_EQ(dataplane_.generation(), 1U);
  EXPECT_TRUE(controller_->view()->in_sync());
}

TEST_F(ControllerTest, ReadersDoNotWaitForASlowApplyAndOthersWaitForTheirDeadline) {
  Apply(TapConfig({"tap0"}));
  dataplane_.HoldApplies();
  std::thread slow([this] { Apply(TapConfig({"tap1"})); });
  while (dataplane_.applies() < 2) std::this_thread::yield();

  EXPECT_EQ(controller_->view()->desired.config().ports(0).name(), "tap0");
  EXPECT_TRUE(controller_->Reconcile().ok());
  const auto start = std::chrono::steady_clock::now();
  const auto other =
      controller_->Apply(TapConfig({"tap2"}), {.deadline = Within(milliseconds(20))});
  EXPECT_TRUE(absl::IsDeadlineExceeded(other.status()));
  EXPECT_LT(std::chrono::steady_clock::now() - start, seconds(5));

  dataplane_.ReleaseApplies();
  slow.join();
  EXPECT_EQ(controller_->view()->desired.config().ports(0).name(), "tap1");
}

TEST_F(ControllerTest, AnApplyThatTookTooLongIsUndone) {
  Apply(TapConfig({"tap0"}));
  dataplane_.HoldApplies();
  const auto result =
      controller_->Apply(TapConfig({"tap1"}), {.deadline = Within(milliseconds(50))});
  EXPECT_TRUE(absl::IsDeadlineExceeded(result.status())) << result.status();
  dataplane_.ReleaseApplies();  // Now it happens after all.
  while (dataplane_.generation() != 2) std::this_thread::yield();
  EXPECT_TRUE(controller_->Reconcile().ok());
  EXPECT_EQ(dataplane_.config().ports(0).name(), "tap0");
  EXPECT_EQ(dataplane_.generation(), 1U);
  EXPECT_TRUE(controller_->view()->in_sync());
}

TEST_F(ControllerTest, WhatWasTakenAfterItsTimeIsNotUndone) {
  Apply(TapConfig({"tap0"}));
  dataplane_.HoldAppliesUntilAsked();
  const auto result =
      controller_->Apply(TapConfig({"tap1"}), {.deadline = Within(milliseconds(50))});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->generation, 2U);
  EXPECT_TRUE(controller_->Reconcile().ok());
  EXPECT_EQ(dataplane_.applies(), 2) << "no way back and forth";
  EXPECT_EQ(dataplane_.config().ports(0).name(), "tap1");
  EXPECT_EQ(controller_->view()->desired.generation(), 2U);
  EXPECT_TRUE(controller_->view()->in_sync());
}

TEST_F(ControllerTest, OfManyWithTheSameGenerationOneWins) {
  uint64_t generation = Apply(TapConfig({"tap0"}));
  for (int round = 0; round < 5; ++round) {
    std::atomic<int> won = 0;
    std::atomic<int> aborted = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 16; ++i) {
      threads.emplace_back([&, i] {
        const auto result =
            controller_->Apply(TapConfig({"t" + std::to_string(round) + "-" + std::to_string(i)}),
                               {.expected_generation = generation});
        if (result.ok()) ++won;
        if (absl::IsAborted(result.status())) ++aborted;
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(won, 1);
    EXPECT_EQ(aborted, 15);
    EXPECT_EQ(controller_->view()->desired.generation(), ++generation);
    EXPECT_EQ(dataplane_.generation(), generation);
  }
}

TEST_F(ControllerTest, EveryChangeGetsAGenerationOfItsOwn) {
  std::vector<uint64_t> generations(16);
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&, i] { generations[i] = Apply(TapConfig({"t" + std::to_string(i)})); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(std::set<uint64_t>(generations.begin(), generations.end()).size(), 16U);
  EXPECT_EQ(dataplane_.config().ports(0).name(),
            controller_->view()->desired.config().ports(0).name());
}

TEST_F(ControllerTest, SettingAKnobIsAChangeOfTheConfiguration) {
  Apply(TapConfig({"tap0"}));
  v1::SetKnobRequest request;
  request.set_knob("burst_size");
  request.set_port("tap0");
  request.set_value("8");
  request.set_expected_generation(1);
  const auto result = controller_->SetKnob(request, Deadline::max());
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->generation, 2U);
  ASSERT_EQ(result->changes.size(), 1U);
  EXPECT_EQ(result->changes[0].new_value(), "8");
  EXPECT_EQ(dataplane_.config().knobs(0).value(), "8");
  EXPECT_TRUE(absl::IsAborted(controller_->SetKnob(request, Deadline::max()).status()));
}

TEST_F(ControllerTest, StoppingEndsAnApplyUnderWay) {
  Apply(TapConfig({"tap0"}));
  dataplane_.HoldApplies();
  std::thread slow([this] {
    EXPECT_TRUE(absl::IsCancelled(controller_->Apply(TapConfig({"tap1"}), {}).status()));
  });
  while (dataplane_.applies() < 2) std::this_thread::yield();
  client_.Stop();
  slow.join();
}

}  // namespace
}  // namespace wakegate
