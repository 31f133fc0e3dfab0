// Numbers as people read them in tables. Pure.
#ifndef GATEWAY_CTL_NUMBERS_H_
#define GATEWAY_CTL_NUMBERS_H_

#include <cstdint>
#include <string>

namespace wakegate {

// The figures that matter, in at most 5 characters: 0, 0.031, 4.2, 812, 9999, 12.3k, 4.56M.
std::string ShortNumber(double value);
// Likewise with the unit that fits: 85 µs, 542 ms, 1.2 s.
std::string ShortTime(double microseconds);
// A part of 1: 42.0%.
std::string Percent(double part);
// How often a second, of so many: 12.3k.
std::string RateIn(uint64_t count, double seconds);
// "1200 times (120/s)"
std::string TimesIn(uint64_t count, double seconds);

}  // namespace wakegate

#endif  // GATEWAY_CTL_NUMBERS_H_
