#include "gateway/knobs/value.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "gateway/config/quote.h"

namespace wakegate {
namespace {

// Only the canonical form, so that equal values are equal texts.
bool IsIntegerWithin(const v1::Knob& knob, absl::string_view value) {
  int64_t number = 0;
  int64_t minimum = 0;
  int64_t maximum = 0;
  return absl::SimpleAtoi(value, &number) && absl::StrCat(number) == value &&
         absl::SimpleAtoi(knob.minimum(), &minimum) && absl::SimpleAtoi(knob.maximum(), &maximum) &&
         minimum <= number && number <= maximum;
}

bool IsChoice(const v1::Knob& knob, std::string_view value) {
  return std::find(knob.choices().begin(), knob.choices().end(), value) != knob.choices().end();
}

bool IsDurationWithin(const v1::Knob& knob, absl::string_view value) {
  absl::Duration time;
  absl::Duration minimum;
  absl::Duration maximum;
  return absl::ParseDuration(value, &time) && absl::ParseDuration(knob.minimum(), &minimum) &&
         absl::ParseDuration(knob.maximum(), &maximum) && minimum <= time && time <= maximum;
}

}  // namespace

absl::Status CheckKnobValue(const v1::Knob& knob, std::string_view value) {
  const absl::string_view text(value.data(), value.size());
  const std::string range = absl::StrCat(" from ", knob.minimum(), " to ", knob.maximum());
  bool good = false;
  std::string expected;
  switch (knob.type()) {
    case v1::Knob::TYPE_INTEGER:
      good = IsIntegerWithin(knob, text) || IsChoice(knob, value);
      expected =
          absl::StrCat("a whole number", range, knob.unit().empty() ? "" : " ", knob.unit(),
                       knob.choices().empty() ? "" : ", or ", absl::StrJoin(knob.choices(), ", "));
      break;
    case v1::Knob::TYPE_DURATION:
      good = IsDurationWithin(knob, text);
      expected = absl::StrCat("a time", range, ", such as \"50us\"");
      break;
    case v1::Knob::TYPE_CHOICE:
      good = IsChoice(knob, value);
      expected = absl::StrCat("one of ", absl::StrJoin(knob.choices(), ", "));
      break;
    default:
      expected = absl::StrCat("of a type that is known: ", static_cast<int>(knob.type()));
  }
  if (good) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(Quoted(value), " is not ", expected));
}

std::string CanonicalKnobValue(const v1::Knob& knob, std::string_view value) {
  absl::Duration time;
  const bool is_time = knob.type() == v1::Knob::TYPE_DURATION &&
                       absl::ParseDuration(absl::string_view(value.data(), value.size()), &time);
  return is_time ? absl::FormatDuration(time) : std::string(value);
}

}  // namespace wakegate
