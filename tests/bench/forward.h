// What forwarding costs.
#ifndef TESTS_BENCH_FORWARD_H_
#define TESTS_BENCH_FORWARD_H_

#include <rte_mempool.h>

#include "tests/bench/data_plane.h"
#include "tests/bench/figures.h"

namespace wakegate::bench {

// Packets of 64 bytes from one memory port to another, at several burst sizes, in alternation:
// what is left is the worker's own cost of a packet.
Scenario MeasureForwarding(DataPlane& data_plane, rte_mempool* pool, int rounds);

}  // namespace wakegate::bench

#endif  // TESTS_BENCH_FORWARD_H_
