#include "gateway/ctl/screen.h"

#include <sys/ioctl.h>

#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gateway/ctl/table.h"

namespace wakegate {
namespace {

// ECMA-48 and xterm's control sequences.
constexpr char kEnter[] = "\x1b[?1049h\x1b[?25l";  // Alternate screen, no cursor.
constexpr char kLeave[] = "\x1b[?25h\x1b[?1049l";
constexpr char kHome[] = "\x1b[H";
constexpr char kClearLine[] = "\x1b[K";   // From the cursor on.
constexpr char kClearBelow[] = "\x1b[J";  // Likewise.

std::string FirstCharacters(std::string_view line, std::size_t count) {
  while (DisplayWidth(line) > count) line.remove_suffix(1);
  return std::string(line);
}

}  // namespace

std::string FitFrame(const std::string& frame, int rows, int columns) {
  std::vector<std::string> lines = absl::StrSplit(frame, '\n');
  if (lines.back().empty()) lines.pop_back();
  if (rows > 0 && lines.size() > static_cast<std::size_t>(rows)) {
    const std::size_t hidden = lines.size() - rows + 1;
    lines.resize(rows - 1);
    lines.push_back(
        absl::StrCat("… ", hidden, " more lines: enlarge the terminal or name a --port"));
  }
  std::string fitted;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    // No newline after the last line: it would scroll a full screen.
    absl::StrAppend(&fitted, i == 0 ? "" : "\r\n",
                    columns > 0 ? FirstCharacters(lines[i], columns) : lines[i], kClearLine);
  }
  return fitted;
}

Screen::Screen(std::ostream& out, int fd) : out_(out), fd_(fd) { out_ << kEnter << std::flush; }

Screen::~Screen() { out_ << kLeave << last_frame_ << std::flush; }

void Screen::Show(const std::string& frame) {
  winsize size = {};  // Zero where the terminal does not know.
  ioctl(fd_, TIOCGWINSZ, &size);
  // One write, each line over the old one: nothing flickers.
  out_ << absl::StrCat(kHome, FitFrame(frame, size.ws_row, size.ws_col), kClearBelow) << std::flush;
  last_frame_ = frame;
}

}  // namespace wakegate
