#include "gateway/config/quote.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace wakegate {
namespace {

TEST(QuotedTest, ControlCharactersAndQuotesAreEscaped) {
  EXPECT_EQ(Quoted("tap0"), "\"tap0\"");
  EXPECT_EQ(Quoted("a\"b\n"), "\"a\\\"b\\n\"");
  EXPECT_EQ(Quoted("größe"), "\"größe\"");
}

TEST(QuotedTest, ALongValueIsCutBetweenCharacters) {
  const std::string text = Quoted(std::string(5 << 20, 'a'));
  EXPECT_EQ(text, "\"" + std::string(60, 'a') + "…\" (5242880 bytes)");
  EXPECT_EQ(Quoted(std::string(59, 'a') + "ö"), "\"" + std::string(59, 'a') + "…\" (61 bytes)");
}

TEST(SuggestNameTest, AnAlikeNameIsSuggested) {
  const std::vector<std::string> known = {"name", "admin_up", "mtu"};
  EXPECT_EQ(SuggestName("nmae", known), "; did you mean \"name\"?");
  EXPECT_EQ(SuggestName("adminup", known), "; did you mean \"admin_up\"?");
}

TEST(SuggestNameTest, OtherwiseTheKnownNamesAreListed) {
  EXPECT_EQ(SuggestName("queue", std::vector<std::string>{"name", "mtu"}), "; known: name, mtu");
  EXPECT_EQ(SuggestName("queue", {}), "");
}

TEST(SuggestNameTest, ManyKnownNamesAreCutShort) {
  const std::string text = SuggestName("queue", std::vector<std::string>(1000, "tap"));
  EXPECT_EQ(text.size(), std::string("; known: ").size() + 20 * 5 + std::string("…").size());
}

}  // namespace
}  // namespace wakegate
