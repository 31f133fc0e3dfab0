// What ports cost that have nothing to do.
#ifndef TESTS_BENCH_IDLE_PORT_H_
#define TESTS_BENCH_IDLE_PORT_H_

#include "tests/bench/data_plane.h"
#include "tests/bench/figures.h"

namespace wakegate::bench {

// Turns per second with few and with many idle ports, in alternation.
Scenario MeasureIdlePorts(DataPlane& data_plane, int rounds);

}  // namespace wakegate::bench

#endif  // TESTS_BENCH_IDLE_PORT_H_
