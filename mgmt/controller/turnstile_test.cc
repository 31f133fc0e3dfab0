#include "mgmt/controller/turnstile.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace wakegate {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(TurnstileTest, OnlyOneIsThroughAtATime) {
  Turnstile turnstile;
  int inside = 0;  // Not atomic: the turnstile is what orders the threads (TSan looks).
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int turn = 0; turn < 200; ++turn) {
        const auto pass = turnstile.Enter(Within(seconds(60)));
        ASSERT_TRUE(pass.ok());
        EXPECT_EQ(++inside, 1);
        --inside;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(TurnstileTest, WaitsNoLongerThanTheDeadline) {
  Turnstile turnstile;
  const auto pass = turnstile.Enter(Within(seconds(1)));
  EXPECT_TRUE(absl::IsDeadlineExceeded(turnstile.Enter(Within(milliseconds(10))).status()));
  EXPECT_EQ(turnstile.TryEnter(), nullptr);
}

TEST(TurnstileTest, IsFreeAfterwards) {
  Turnstile turnstile;
  { const auto pass = turnstile.TryEnter(); }
  EXPECT_NE(turnstile.TryEnter(), nullptr);
}

TEST(TurnstileTest, OnlySoManyMayWait) {
  Turnstile turnstile;
  auto pass = turnstile.TryEnter();
  std::atomic<int> through = 0;
  std::atomic<int> refused = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < Turnstile::kMaxWaiting + 3; ++i) {
    threads.emplace_back([&] {
      const auto mine = turnstile.Enter(Within(seconds(60)));
      ++(absl::IsResourceExhausted(mine.status()) ? refused : through);
    });
  }
  while (refused < 3) std::this_thread::yield();
  pass.reset();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(refused, 3);
  EXPECT_EQ(through, Turnstile::kMaxWaiting);
}

}  // namespace
}  // namespace wakegate
