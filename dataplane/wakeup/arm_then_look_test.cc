#include "dataplane/wakeup/arm_then_look.h"

#include <gtest/gtest.h>

namespace wakegate {
namespace {

// A queue in memory whose sender follows the rule: write the packet, then ring if a wakeup is
// wanted. `arrive_at` says before which step of the sleeper the packet comes.
struct World {
  explicit World(int arrive_at) : arrive_at_(arrive_at) {}

  void Step() {
    if (step_++ != arrive_at_) return;
    packet_there = true;
    if (wakeup_wanted) rung = true;
  }

  bool packet_there = false;
  bool wakeup_wanted = false;
  bool rung = false;

 private:
  const int arrive_at_;
  int step_ = 0;
};

constexpr int kSteps = 4;  // Before arming, before looking, before disarming, after all.

// Whether a sleeper who trusts `armed` blocks for ever beside the packet.
bool SleepsBesideThePacket(const World& world, bool armed) {
  return armed && world.packet_there && !world.rung;
}

// The steps of a queue, with the packet coming in at any of them.
struct Steps {
  explicit Steps(World& world) : world(world) {}
  void Arm() {
    world.Step();
    world.wakeup_wanted = true;
  }
  bool HasWork() {
    world.Step();
    return world.packet_there;
  }
  void Disarm() {
    world.Step();
    world.wakeup_wanted = false;
  }
  World& world;
};

TEST(ArmThenLookTest, NoMomentOfArrivalLosesTheWakeup) {
  for (int arrive_at = 0; arrive_at < kSteps; ++arrive_at) {
    World world(arrive_at);
    Steps steps(world);
    const bool armed =
        ArmThenLook([&] { steps.Arm(); }, [&] { return steps.HasWork(); }, [&] { steps.Disarm(); });
    for (int rest = 0; rest < kSteps; ++rest) world.Step();
    EXPECT_FALSE(SleepsBesideThePacket(world, armed)) << "arrived before step " << arrive_at;
    EXPECT_EQ(world.wakeup_wanted, armed);
  }
}

// The test above can fail: the other order loses the packet that comes between look and arm.
TEST(ArmThenLookTest, LookingFirstWouldLoseAWakeup) {
  bool lost = false;
  for (int arrive_at = 0; arrive_at < kSteps; ++arrive_at) {
    World world(arrive_at);
    Steps steps(world);
    const bool armed = !steps.HasWork();
    if (armed) steps.Arm();
    for (int rest = 0; rest < kSteps; ++rest) world.Step();
    lost |= SleepsBesideThePacket(world, armed);
  }
  EXPECT_TRUE(lost);
}

}  // namespace
}  // namespace wakegate
