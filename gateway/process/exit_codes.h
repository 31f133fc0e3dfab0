// What our programs exit with, beside 0.
#ifndef GATEWAY_PROCESS_EXIT_CODES_H_
#define GATEWAY_PROCESS_EXIT_CODES_H_

namespace wakegate {

inline constexpr int kExitFailure = 1;  // It could not do it; stderr says why.
inline constexpr int kExitUsage = 2;    // A flag makes no sense.

}  // namespace wakegate

#endif  // GATEWAY_PROCESS_EXIT_CODES_H_
