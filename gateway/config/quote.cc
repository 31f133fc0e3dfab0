#include "gateway/config/quote.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace wakegate {
namespace {

constexpr std::size_t kMaxShownBytes = 60;

bool IsContinuationByte(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Levenshtein: characters to insert, remove or replace to get from one to the other.
std::size_t EditDistance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t replaced = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string Quoted(std::string_view value) {
  std::size_t shown = std::min(value.size(), kMaxShownBytes);
  while (shown > 0 && shown < value.size() && IsContinuationByte(value[shown])) --shown;
  std::string text =
      absl::StrCat("\"", absl::Utf8SafeCHexEscape(absl::string_view(value.data(), shown)));
  return shown == value.size() ? absl::StrCat(text, "\"")
                               : absl::StrCat(text, "…\" (", value.size(), " bytes)");
}

std::string SuggestName(std::string_view name, std::span<const std::string> known) {
  const std::string* nearest = nullptr;
  std::size_t distance = name.size() <= 3 ? 2 : 3;  // Two slips still look alike.
  for (const std::string& candidate : known) {
    if (name.size() > candidate.size() + distance) continue;
    const std::size_t candidate_distance = EditDistance(name, candidate);
    if (candidate_distance >= distance) continue;
    nearest = &candidate;
    distance = candidate_distance;
  }
  if (nearest != nullptr) return absl::StrCat("; did you mean ", Quoted(*nearest), "?");
  if (known.empty()) return "";
  const std::size_t shown = std::min<std::size_t>(known.size(), kMaxKnownShown);
  return absl::StrCat("; known: ", absl::StrJoin(known.first(shown), ", "),
                      shown < known.size() ? ", …" : "");
}

}  // namespace wakegate
