#include "mgmt/controller/decision.h"

#include <gtest/gtest.h>

#include "gateway/config/text.h"

namespace wakegate {
namespace {

constexpr char kOne[] = "ports: [{name: tap0, tap: {}}]";
constexpr char kOneWithDefaults[] =
    "ports: [{name: tap0, admin_up: true, tap: {interface: tap0, queues: 1, persistent: true}}]";
constexpr char kOther[] = "ports: [{name: tap1, tap: {}}]";

View WithWanted(const char* config, uint64_t generation) {
  View view;
  view.desired_known = true;
  view.contacted = true;
  *view.desired.mutable_config() = *ParseConfig(config, "wanted");
  view.desired.set_generation(generation);
  return view;
}

View Running(View view, const char* config, uint64_t generation) {
  *view.dataplane.mutable_config() = *ParseConfig(config, "runs");
  view.dataplane.set_generation(generation);
  return view;
}

TEST(DecisionTest, TheSameIsInSyncHoweverItIsWritten) {
  EXPECT_EQ(Decide(Running(WithWanted(kOne, 3), kOneWithDefaults, 3)), Decision::kInSync);
}

TEST(DecisionTest, AnotherConfigurationOrGenerationIsReplaced) {
  EXPECT_EQ(Decide(Running(WithWanted(kOne, 3), kOther, 3)), Decision::kApply);
  EXPECT_EQ(Decide(Running(WithWanted(kOne, 3), kOther, 4)), Decision::kApply);
  EXPECT_EQ(Decide(Running(WithWanted(kOne, 3), kOne, 2)), Decision::kApply);
  EXPECT_EQ(Decide(Running(WithWanted(kOne, 3), "{}", 0)), Decision::kApply);
}

TEST(DecisionTest, WithoutAStoredConfigurationWhatRunsIsAdopted) {
  EXPECT_EQ(Decide(Running(View(), kOne, 3)), Decision::kAdopt);
  EXPECT_EQ(Decide(Running(View(), "{}", 0)), Decision::kAdopt);
}

TEST(DecisionTest, AtTheFirstContactALaterGenerationIsAdoptedAndAnEarlierOneReplaced) {
  View view = WithWanted(kOne, 3);
  view.contacted = false;
  EXPECT_EQ(Decide(Running(view, kOther, 4)), Decision::kAdopt);
  EXPECT_EQ(Decide(Running(view, kOther, 3)), Decision::kApply);
  EXPECT_EQ(Decide(Running(view, kOther, 2)), Decision::kApply);
  EXPECT_EQ(Decide(Running(view, kOne, 3)), Decision::kInSync);
}

}  // namespace
}  // namespace wakegate
