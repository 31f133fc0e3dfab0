#include "gateway/ctl/numbers.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace wakegate {

std::string ShortNumber(double value) {
  if (value == 0) return "0";
  if (value < 0.0005) return "0.000";
  if (value < 0.9995) return absl::StrFormat("%.3f", value);
  if (value < 9.95) return absl::StrFormat("%.1f", value);
  if (value < 9999.5) return absl::StrFormat("%.0f", value);
  const char* unit = "kMGTPE";
  for (value /= 1000; value >= 999.5; value /= 1000) ++unit;  // 64 bits end at 18 E.
  const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return absl::StrFormat("%.*f%c", decimals, value, *unit);
}

std::string ShortTime(double microseconds) {
  if (microseconds < 999.5) return absl::StrCat(ShortNumber(microseconds), " µs");
  if (microseconds < 999.5e3) return absl::StrCat(ShortNumber(microseconds / 1e3), " ms");
  return absl::StrCat(ShortNumber(microseconds / 1e6), " s");
}

std::string Percent(double part) { return absl::StrFormat("%.1f%%", part * 100); }

std::string RateIn(uint64_t count, double seconds) {
  return ShortNumber(seconds > 0 ? static_cast<double>(count) / seconds : 0);
}

std::string TimesIn(uint64_t count, double seconds) {
  return absl::StrCat(count, count == 1 ? " time (" : " times (", RateIn(count, seconds), "/s)");
}

}  // namespace wakegate
