// Rates as a text for people, at most 100 columns wide. Pure.
#ifndef GATEWAY_CTL_STATS_VIEW_H_
#define GATEWAY_CTL_STATS_VIEW_H_

#include <string>

#include "gateway/ctl/rates.h"

namespace wakegate {

// Tables of what is received, sent, and how the workers spend their time, with what was dropped
// and who woke whom below each line, and the books. Every line ends with a newline.
std::string FormatStats(const StatsRates& rates);

}  // namespace wakegate

#endif  // GATEWAY_CTL_STATS_VIEW_H_
