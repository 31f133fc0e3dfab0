#include "tests/conformance/traffic.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>

#include "dataplane/testing/frames.h"
#include "gateway/testing/eventually.h"

namespace wakegate::testing {
namespace {

constexpr std::size_t kNumberAt = 14;

Bytes FrameOf(uint32_t number) { return NumberedFrame(number, 60 + number % 1000); }

// 0: it has none.
uint32_t NumberOf(const Bytes& frame) {
  uint32_t number = 0;
  if (frame.size() >= 60) std::memcpy(&number, frame.data() + kNumberAt, sizeof(number));
  return number;
}

}  // namespace

Traffic::Traffic(Host& from, Host& to)
    : from_(from), to_(to), receiver_([this] { Receive(); }), sender_([this] { Send(); }) {}

void Traffic::Send() {
  while (!stop_) {
    for (int i = 0; i < 8; ++i) {
      if (from_.Send(FrameOf(next_)) == 0) ++sent_;
      ++next_;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(700));
  }
}

void Traffic::Receive() {
  auto silent_since = std::chrono::steady_clock::now();
  const auto silence = std::chrono::milliseconds(500);
  while (!all_sent_ ||
         (received_ < sent_ && std::chrono::steady_clock::now() < silent_since + silence)) {
    const std::optional<Bytes> frame = to_.Receive(std::chrono::milliseconds(20));
    if (!frame.has_value()) continue;
    silent_since = std::chrono::steady_clock::now();
    const uint32_t number = NumberOf(*frame);
    EXPECT_EQ(*frame, FrameOf(number)) << "after frame " << last_;
    EXPECT_GT(number, last_) << "out of order";
    last_ = number;
    ++received_;
  }
}

bool Traffic::Flows() const {
  const uint32_t next = next_;
  return Eventually([&] { return last_ > next; });
}

void Traffic::Stop() {
  stop_ = true;
  if (sender_.joinable()) sender_.join();
  all_sent_ = true;
  if (receiver_.joinable()) receiver_.join();
}

}  // namespace wakegate::testing
