#include "dataplane/ports/af_xdp/busy_poll_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wakegate {
namespace {

using Method = BusyPollChoice::Method;
using ::testing::HasSubstr;

constexpr QueueTuning kOn = {.busy_poll = BusyPollWish::kOn, .busy_budget = 64};
constexpr QueueTuning kAuto = {.busy_poll = BusyPollWish::kAuto, .busy_budget = 64};

QueueNapi Linked() {
  return {.napi = {.id = 7, .deferral = {}}, .linked = true, .why_not_known = ""};
}
QueueNapi Known() {
  return {.napi = {.id = 7, .deferral = {}}, .linked = false, .why_not_known = ""};
}
QueueNapi Unknown() { return {.napi = {}, .linked = false, .why_not_known = "nobody says"}; }

QueueTuning Shared(QueueTuning tuning) {
  tuning.cpu_is_shared = true;
  return tuning;
}

TEST(BusyPollChoiceTest, OnTakesWhatTheDeviceLetsUsHave) {
  EXPECT_EQ(ChooseBusyPoll(kOn, Linked()).method, Method::kSocketOptions);
  EXPECT_EQ(ChooseBusyPoll(kOn, Known()).method, Method::kIoUring);
  EXPECT_EQ(ChooseBusyPoll(kOn, Unknown()).method, Method::kNone);
  EXPECT_EQ(ChooseBusyPoll(kOn, Unknown()).text, "nobody says");
}

TEST(BusyPollChoiceTest, AutoPollsWhereTheKernelsWorkIsOnTheWorkersCpuAndTheInstanceIsLinked) {
  EXPECT_EQ(ChooseBusyPoll(Shared(kAuto), Linked()).method, Method::kSocketOptions);
  const BusyPollChoice alone = ChooseBusyPoll(kAuto, Linked());
  EXPECT_EQ(alone.method, Method::kNone);
  EXPECT_THAT(alone.text, HasSubstr("CPU to itself"));
  const BusyPollChoice known = ChooseBusyPoll(Shared(kAuto), Known());
  EXPECT_EQ(known.method, Method::kNone);
  EXPECT_THAT(known.text, HasSubstr("links no NAPI instance"));
}

TEST(BusyPollChoiceTest, OffAndABudgetOfNothingAreOff) {
  EXPECT_EQ(ChooseBusyPoll({.busy_poll = BusyPollWish::kOff, .busy_budget = 64}, Linked()).method,
            Method::kNone);
  const BusyPollChoice choice =
      ChooseBusyPoll({.busy_poll = BusyPollWish::kOn, .busy_budget = 0}, Linked());
  EXPECT_EQ(choice.method, Method::kNone);
  EXPECT_EQ(choice.text, "busy_budget is 0");
}

}  // namespace
}  // namespace wakegate
