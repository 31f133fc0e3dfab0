// Text in columns. Pure.
#ifndef GATEWAY_CTL_TABLE_H_
#define GATEWAY_CTL_TABLE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace wakegate {

// Characters of a UTF-8 text, each taken to be one column wide.
std::size_t DisplayWidth(std::string_view text);

// Lines of at most `kTextWidth` columns, broken between words, each with `indent` blanks before it
// and a newline.
inline constexpr std::size_t kTextWidth = 100;
std::string WrapText(std::string_view text, std::size_t indent);

// A heading, rows below it, and notes below a row. Columns are as wide as their widest cell, with
// two blanks between them; the last column is not padded.
class Table {
 public:
  enum class Align { kLeft, kRight };
  struct Column {
    std::string heading;
    Align align = Align::kLeft;
  };

  explicit Table(std::vector<Column> columns);

  // One cell for each column.
  void AddRow(std::vector<std::string> cells);
  // A line below the last row, indented, and wrapped as WrapText does.
  void AddNote(std::string_view text);

  bool empty() const { return rows_.empty(); }
  std::string ToString() const;

 private:
  struct Row {
    std::vector<std::string> cells;
    std::string notes;  // Whole lines.
  };

  void AppendRow(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths,
                 std::string& out) const;

  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

}  // namespace wakegate

#endif  // GATEWAY_CTL_TABLE_H_
