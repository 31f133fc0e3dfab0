#include "gateway/ctl/screen.h"

#include <gtest/gtest.h>

#include <sstream>

namespace wakegate {
namespace {

TEST(FitFrameTest, EveryLineClearsItsRestAndTheLastDoesNotScroll) {
  EXPECT_EQ(FitFrame("one\ntwo\n", 24, 80), "one\x1b[K\r\ntwo\x1b[K");
  EXPECT_EQ(FitFrame("one\n", 0, 0), "one\x1b[K") << "a terminal that does not know its size";
}

TEST(FitFrameTest, LongLinesAreCutBetweenCharacters) {
  EXPECT_EQ(FitFrame("12 µs\n", 24, 4), "12 µ\x1b[K");
  EXPECT_EQ(FitFrame("12 µs\n", 24, 3), "12 \x1b[K");
}

TEST(FitFrameTest, WhatDoesNotFitIsCounted) {
  EXPECT_EQ(FitFrame("1\n2\n3\n", 2, 80),
            "1\x1b[K\r\n… 2 more lines: enlarge the terminal or name a --port\x1b[K");
}

TEST(ScreenTest, RestoresTheTerminalAndLeavesTheLastFrame) {
  std::ostringstream out;
  {
    Screen screen(out, -1);
    screen.Show("first\n");
    screen.Show("last\n");
  }
  EXPECT_EQ(out.str(),
            "\x1b[?1049h\x1b[?25l"
            "\x1b[Hfirst\x1b[K\x1b[J"
            "\x1b[Hlast\x1b[K\x1b[J"
            "\x1b[?25h\x1b[?1049llast\n");
}

}  // namespace
}  // namespace wakegate
