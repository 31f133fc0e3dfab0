#include "gateway/state/state_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "gateway/config/text.h"
#include "gateway/files/temporary_folder.h"

namespace wakegate {
namespace {

class StateFileTest : public testing::Test {
 protected:
  void Write(const std::string& text) const { std::ofstream(path_) << text; }
  std::string Text() const {
    std::ifstream file(path_);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  StateFile::Loaded Load() {
    auto loaded = StateFile(path_).Load();
    EXPECT_TRUE(loaded.ok()) << loaded.status();
    return *std::move(loaded);
  }
  // Loads what cannot be used, and checks that it is kept.
  std::string ProblemOf(const std::string& text) {
    Write(text);
    const StateFile::Loaded loaded = Load();
    EXPECT_FALSE(loaded.state.has_value());
    EXPECT_FALSE(std::filesystem::exists(path_));
    const std::string aside = loaded.problem.substr(loaded.problem.rfind(' ') + 1);
    std::ifstream file(aside);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), text) << aside;
    return loaded.problem;
  }
  internal::v1::StoredState SomeState() const {
    internal::v1::StoredState state;
    state.set_generation(7);
    *state.mutable_config() = *ParseConfig("ports: [{name: tap0, tap: {}}]", "test");
    return state;
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_.path() + "/config.json";
};

TEST_F(StateFileTest, NoFileIsNoProblem) {
  const StateFile::Loaded loaded = Load();
  EXPECT_FALSE(loaded.state.has_value());
  EXPECT_EQ(loaded.problem, "");
}

TEST_F(StateFileTest, WhatIsCommittedIsLoaded) {
  StateFile file(path_);
  ASSERT_TRUE(file.Prepare(SomeState()).ok());
  EXPECT_FALSE(Load().state.has_value());
  ASSERT_TRUE(file.Commit().ok());
  const StateFile::Loaded loaded = Load();
  ASSERT_TRUE(loaded.state.has_value());
  EXPECT_EQ(loaded.state->generation(), 7U);
  EXPECT_EQ(loaded.state->config().ports(0).name(), "tap0");
  EXPECT_EQ(loaded.problem, "");
}

TEST_F(StateFileTest, TornAtAnyByteIsPutAsideOrTheWhole) {
  StateFile file(path_);
  ASSERT_TRUE(file.Prepare(SomeState()).ok());
  ASSERT_TRUE(file.Commit().ok());
  const std::string whole = Text();
  for (std::size_t size = 0; size < whole.find_last_not_of(" \n"); ++size) {
    EXPECT_NE(ProblemOf(whole.substr(0, size)).find("put aside"), std::string::npos) << size;
  }
}

TEST_F(StateFileTest, ANewerFormatIsPutAsideWhateverItsFields) {
  const std::string problem =
      ProblemOf(R"({"format": 2, "generation": "7", "config": {"tunnels": []}})");
  EXPECT_NE(problem.find("of format 2, this version knows format 1"), std::string::npos) << problem;
}

TEST_F(StateFileTest, UnknownFieldsAndInvalidConfigurationsArePutAside) {
  EXPECT_NE(ProblemOf(R"({"format": 1, "config": {"tunnels": []}})").find("tunnels"),
            std::string::npos);
  EXPECT_NE(ProblemOf(R"({"format": 1, "config": {"ports": [{"name": "a b", "tap": {}}]}})")
                .find("ports[0].name"),
            std::string::npos);
}

// The problem goes into a protobuf string and to a terminal.
TEST_F(StateFileTest, TheBytesOfABadFileAreNotRepeatedAsTheyAre) {
  const std::string problem = ProblemOf("\xff\xfe\x1b[31m\ngarbage");
  EXPECT_NE(problem.find("put aside"), std::string::npos) << problem;
  for (const char c : problem) EXPECT_TRUE(c >= ' ' && c < 0x7f) << problem;
}

TEST_F(StateFileTest, AFileThatCannotBeReadIsAnError) {
  std::filesystem::create_directory(path_);
  EXPECT_EQ(StateFile(path_).Load().status().message(), "read " + path_ + ": Is a directory");
}

}  // namespace
}  // namespace wakegate
