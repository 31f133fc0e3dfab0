#include "dataplane/control/placement.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace wakegate {
namespace {

TEST(ChooseWorkerTest, AQueueThatNobodyPlacedGoesWhereThereAreFewest) {
  EXPECT_EQ(ChooseWorker({}, std::vector<uint32_t>{2, 1, 1}), 1U);
}

TEST(ChooseWorkerTest, APlacedQueueGoesWhereItIsPlacedIfThereIsSuchAWorker) {
  EXPECT_EQ(ChooseWorker({.worker = 0, .beside = 1}, std::vector<uint32_t>{7, 1, 0}), 0U);
  EXPECT_EQ(ChooseWorker({.worker = 3}, std::vector<uint32_t>{7, 1, 0}), 2U);
}

TEST(ChooseWorkerTest, AQueueGoesBesideItsPeerUnlessThatWorkerHasTooMany) {
  EXPECT_EQ(ChooseWorker({.beside = 0}, std::vector<uint32_t>{3, 2, 2}), 0U);
  EXPECT_EQ(ChooseWorker({.beside = 0}, std::vector<uint32_t>{4, 3, 2}), 2U);
  EXPECT_EQ(ChooseWorker({.beside = 3}, std::vector<uint32_t>{4, 3, 2}), 2U);
}

QueueLoad Load(const std::string& port, uint32_t worker, double load, bool movable = true) {
  return {.port = port, .queue = 0, .worker = worker, .movable = movable, .load = load};
}

TEST(PlacementTest, WorkersWithTimeEnoughAreLeftAlone) {
  EXPECT_EQ(ChooseMove({Load("a", 0, 0.3), Load("b", 0, 0.3)}, 2), std::nullopt);
}

TEST(PlacementTest, TheQueueThatEvensItOutBestMovesToTheIdlestWorker) {
  EXPECT_EQ(ChooseMove({Load("a", 0, 0.5), Load("b", 0, 0.25), Load("c", 0, 0.15),
                        Load("d", 1, 0.2), Load("e", 2, 0.1)},
                       3),
            (QueueMove{.port = "a", .queue = 0, .to_worker = 2}))
      << "0.4, 0.2 and 0.6; with b it would be 0.65";
  EXPECT_EQ(ChooseMove({Load("a", 0, 0.8), Load("b", 0, 0.2), Load("c", 1, 0.3)}, 2),
            (QueueMove{.port = "b", .queue = 0, .to_worker = 1}));
}

TEST(PlacementTest, WhatWouldOnlyTradePlacesStays) {
  EXPECT_EQ(ChooseMove({Load("a", 0, 0.9)}, 2), std::nullopt);
  EXPECT_EQ(ChooseMove({Load("a", 0, 0.5), Load("b", 0, 0.5), Load("c", 1, 0.45)}, 2),
            std::nullopt);
}

TEST(PlacementTest, QueuesThatTheConfigurationPlacedStay) {
  EXPECT_EQ(ChooseMove({Load("a", 0, 0.5, false), Load("b", 0, 0.5, false)}, 2), std::nullopt);
  EXPECT_EQ(ChooseMove({Load("a", 0, 0.6, false), Load("b", 0, 0.3)}, 2),
            (QueueMove{.port = "b", .queue = 0, .to_worker = 1}));
}

TEST(PlacementTest, OneWorkerHasNobodyToGiveTo) {
  EXPECT_EQ(ChooseMove({Load("a", 0, 0.5), Load("b", 0, 0.5)}, 1), std::nullopt);
}

}  // namespace
}  // namespace wakegate
