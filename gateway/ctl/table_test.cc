#include "gateway/ctl/table.h"

#include <gtest/gtest.h>

#include <string>

namespace wakegate {
namespace {

TEST(TableTest, ColumnsAreAsWideAsTheirWidestCell) {
  Table table({{"NAME"}, {"N", Table::Align::kRight}, {"END"}});
  table.AddRow({"a", "1000", "x"});
  table.AddRow({"longer", "1", ""});
  EXPECT_EQ(table.ToString(),
            "NAME       N  END\n"
            "a       1000  x\n"
            "longer     1\n");
}

TEST(TableTest, WidthIsCountedInCharactersNotBytes) {
  Table table({{"TIME", Table::Align::kRight}, {"X"}});
  table.AddRow({"12.5 µs", "a"});
  table.AddRow({"112.5 s", "b"});
  EXPECT_EQ(table.ToString(), "   TIME  X\n12.5 µs  a\n112.5 s  b\n");
}

TEST(TableTest, NotesStandBelowTheirRowAndAreWrapped) {
  Table table({{"NAME"}});
  table.AddRow({"a"});
  const std::string word(40, 'w');
  table.AddNote(word + " " + word + " " + word);
  table.AddRow({"b"});
  EXPECT_EQ(table.ToString(), "NAME\na\n    " + word + " " + word + "\n    " + word + "\nb\n");
}

}  // namespace
}  // namespace wakegate
