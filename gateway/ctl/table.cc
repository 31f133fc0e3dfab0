#include "gateway/ctl/table.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace wakegate {
namespace {

constexpr char kGap[] = "  ";
constexpr std::size_t kNoteIndent = 4;

}  // namespace

std::size_t DisplayWidth(std::string_view text) {
  return std::count_if(text.begin(), text.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

std::string WrapText(std::string_view text, std::size_t indent) {
  const std::string margin(indent, ' ');
  std::string lines;
  std::string line;
  for (const absl::string_view word :
       absl::StrSplit(absl::string_view(text.data(), text.size()), ' ')) {
    if (!line.empty() &&
        DisplayWidth(line) + 1 + DisplayWidth({word.data(), word.size()}) > kTextWidth) {
      absl::StrAppend(&lines, std::exchange(line, ""), "\n");
    }
    absl::StrAppend(&line, line.empty() ? margin : " ", word);
  }
  return absl::StrCat(lines, line, "\n");
}

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

void Table::AddRow(std::vector<std::string> cells) {
  rows_.push_back(Row{.cells = std::move(cells), .notes = ""});
}

void Table::AddNote(std::string_view text) { rows_.back().notes += WrapText(text, kNoteIndent); }

void Table::AppendRow(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths,
                      std::string& out) const {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string padding(widths[i] - DisplayWidth(cells[i]), ' ');
    const bool right = columns_[i].align == Align::kRight;
    absl::StrAppend(&line, i == 0 ? "" : kGap, right ? padding : "", cells[i],
                    right ? "" : padding);
  }
  absl::StrAppend(&out, absl::StripTrailingAsciiWhitespace(line), "\n");
}

std::string Table::ToString() const {
  std::vector<std::string> headings;
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) {
    headings.push_back(column.heading);
    widths.push_back(DisplayWidth(column.heading));
  }
  for (const Row& row : rows_) {
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      widths[i] = std::max(widths[i], DisplayWidth(row.cells[i]));
    }
  }
  std::string out;
  AppendRow(headings, widths, out);
  for (const Row& row : rows_) {
    AppendRow(row.cells, widths, out);
    out += row.notes;
  }
  return out;
}

}  // namespace wakegate
