// Either process comes and goes.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>

#include "gateway/files/temporary_folder.h"
#include "gateway/paths/paths.h"
#include "gateway/testing/eventually.h"
#include "mgmt/controller/controller.h"
#include "mgmt/controller/reconciler.h"
#include "mgmt/testing/configs.h"
#include "mgmt/testing/fake_dataplane.h"

namespace wakegate {
namespace {

class ReconcileTest : public testing::Test {
 protected:
  // One life of wakegate-mgmt.
  struct Mgmt {
    explicit Mgmt(const std::string& folder)
        : client(DataplaneSocketPath(folder)),
          file(folder + "/config.json"),
          controller(client, file, *file.Load()),
          reconciler(controller, [this] { ++turns; }) {}
    ~Mgmt() { client.Stop(); }

    DataplaneClient client;
    StateFile file;
    std::atomic<int> turns = 0;
    Controller controller;
    Reconciler reconciler;
  };

  void StartMgmt() {
    mgmt_.reset();
    mgmt_.emplace(folder_.path());
  }
  std::shared_ptr<const View> Now() const { return mgmt_->controller.view(); }
  bool InSync(uint64_t generation) const {
    return Eventually([&] {
      return Now()->in_sync() && Now()->desired.generation() == generation &&
             dataplane_.generation() == generation;
    });
  }
  void Apply(const v1::GatewayConfig& config) {
    const auto result = mgmt_->controller.Apply(config, {});
    ASSERT_TRUE(result.ok()) << result.status();
  }

  const TemporaryFolder folder_;
  FakeDataplane dataplane_{folder_.path()};
  std::optional<Mgmt> mgmt_;
};

TEST_F(ReconcileTest, MgmtComesFirst) {
  StartMgmt();
  EXPECT_TRUE(Eventually([&] { return mgmt_->turns >= 2; }));
  EXPECT_FALSE(Now()->connection.ok());
  dataplane_.Start("boot-1");
  EXPECT_TRUE(InSync(0));
}

TEST_F(ReconcileTest, RestartedMgmtLeavesADataPlaneAloneThatRunsWhatIsStored) {
  dataplane_.Start("boot-1");
  StartMgmt();
  Apply(TapConfig({"tap0"}));
  StartMgmt();
  EXPECT_TRUE(InSync(1));
  EXPECT_EQ(Now()->desired.config().ports(0).name(), "tap0");
  EXPECT_EQ(dataplane_.applies(), 1);
}

TEST_F(ReconcileTest, RestartedMgmtWithoutAStateFileAdoptsAndStoresWhatRuns) {
  dataplane_.SetRunning(TapConfig({"tap7"}), 12);
  dataplane_.Start("boot-1");
  StartMgmt();
  EXPECT_TRUE(InSync(12));
  EXPECT_EQ(Now()->desired.config().ports(0).name(), "tap7");
  EXPECT_EQ(dataplane_.applies(), 0);
  dataplane_.Kill();
  StartMgmt();
  EXPECT_EQ(Now()->desired.generation(), 12U);
  EXPECT_EQ(Now()->desired.config().ports(0).name(), "tap7");
}

TEST_F(ReconcileTest, ATornStateFileIsKeptSaidAndReplacedByWhatRuns) {
  std::ofstream(folder_.path() + "/config.json") << "{ torn";
  dataplane_.SetRunning(TapConfig({"tap7"}), 12);
  dataplane_.Start("boot-1");
  StartMgmt();
  EXPECT_TRUE(InSync(12));
  const std::string& text = Now()->stored_config_text;
  EXPECT_NE(text.find("put aside as " + folder_.path() + "/config.json.bad-"), std::string::npos)
      << text;
  EXPECT_TRUE(std::filesystem::exists(folder_.path() + "/config.json"));
}

TEST_F(ReconcileTest, AMgmtThatDiedBeforeItStoredWhatRunsAdoptsIt) {
  dataplane_.Start("boot-1");
  StartMgmt();
  Apply(TapConfig({"tap0"}));
  mgmt_.reset();
  dataplane_.SetRunning(TapConfig({"tap1"}), 2);
  StartMgmt();
  EXPECT_TRUE(InSync(2));
  EXPECT_EQ(Now()->desired.config().ports(0).name(), "tap1");
}

TEST_F(ReconcileTest, AnApplyRightAfterTheStartBuildsOnWhatRuns) {
  dataplane_.SetRunning(TapConfig({"tap7"}), 12);
  dataplane_.Start("boot-1");
  StartMgmt();
  Apply(TapConfig({"tap8"}));
  EXPECT_TRUE(InSync(13));
}

TEST_F(ReconcileTest, ADataPlaneThatRestoredEverythingIsLeftAlone) {
  dataplane_.Start("boot-1");
  StartMgmt();
  Apply(TapConfig({"tap0"}));
  dataplane_.Kill();
  EXPECT_TRUE(Eventually([&] { return !Now()->connection.ok(); }));
  EXPECT_EQ(Now()->dataplane.status().boot_id(), "boot-1");  // What was last known.
  dataplane_.Start("boot-2");
  EXPECT_TRUE(InSync(1));
  EXPECT_EQ(Now()->dataplane.status().boot_id(), "boot-2");
  EXPECT_EQ((*Now()->ledger)->boot_id(), "boot-2");
  EXPECT_EQ(dataplane_.applies(), 1);
}

TEST_F(ReconcileTest, ADataPlaneThatLostItAllIsGivenItAgain) {
  dataplane_.Start("boot-1");
  StartMgmt();
  Apply(TapConfig({"tap0"}));
  dataplane_.Kill();
  dataplane_.SetRunning({}, 0);
  dataplane_.Start("boot-2");
  EXPECT_TRUE(InSync(1));
  EXPECT_EQ(dataplane_.config().ports(0).name(), "tap0");
}

TEST_F(ReconcileTest, ADataPlaneThatCannotRunItIsAskedAgainAndTheReasonIsShown) {
  dataplane_.Start("boot-1");
  StartMgmt();
  Apply(TapConfig({"tap0"}));
  dataplane_.Kill();
  dataplane_.SetRunning({}, 0);
  dataplane_.RefuseApplies(absl::NotFoundError("no /dev/net/tun"));
  dataplane_.Start("boot-2");
  EXPECT_TRUE(Eventually([&] { return Now()->sync == absl::NotFoundError("no /dev/net/tun"); }));
  EXPECT_FALSE(Now()->in_sync());
  dataplane_.RefuseApplies(absl::OkStatus());
  EXPECT_TRUE(InSync(1));
}

TEST_F(ReconcileTest, ADataPlaneThatSaysYesAndDoesNoIsNotInSync) {
  dataplane_.Start("boot-1");
  StartMgmt();
  Apply(TapConfig({"tap0"}));
  dataplane_.IgnoreApplies();
  dataplane_.SetRunning(TapConfig({"tap1"}), 1);
  EXPECT_TRUE(Eventually([&] { return absl::IsInternal(Now()->sync); }));
  const int turns = mgmt_->turns;
  EXPECT_TRUE(Eventually([&] { return mgmt_->turns >= turns + 2; }));
  EXPECT_FALSE(Now()->in_sync());
  EXPECT_LE(dataplane_.applies(), 4);  // With longer and longer pauses.
}

TEST_F(ReconcileTest, ALedgerOfAnotherBuildIsSaidAndTheRestWorks) {
  dataplane_.Start("boot-1");
  std::ofstream(folder_.path() + "/strange") << "no ledger";
  dataplane_.SetLedgerPath(folder_.path() + "/strange");
  StartMgmt();
  Apply(TapConfig({"tap0"}));
  EXPECT_TRUE(InSync(1));
  EXPECT_TRUE(absl::IsFailedPrecondition(Now()->ledger.status())) << Now()->ledger.status();
}

}  // namespace
}  // namespace wakegate
