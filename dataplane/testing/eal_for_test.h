// EAL and packet pools for tests: no hugepages, no devices, nothing shared with other processes.
#ifndef DATAPLANE_TESTING_EAL_FOR_TEST_H_
#define DATAPLANE_TESTING_EAL_FOR_TEST_H_

#include <cstdint>

#include "dataplane/packet/pool.h"

namespace wakegate::testing {

// The memory that all pools of a test process share: room for 14,000 buffers at once.
inline constexpr uint32_t kEalMegabytes = 64;

// Starts EAL at the first call in the process; ends the process with a text where it cannot. The
// calling thread becomes lcore 0 and keeps its CPU affinity. Main thread.
void StartEalForTest();

// A packet pool, and EAL below it. A test that holds one fails unless all buffers are back when it
// ends. Main thread.
class PoolForTest {
 public:
  explicit PoolForTest(uint32_t count = 1023);
  ~PoolForTest();
  PoolForTest(const PoolForTest&) = delete;
  PoolForTest& operator=(const PoolForTest&) = delete;

  rte_mempool* get() const { return pool_.get(); }
  uint32_t count() const { return pool_.count(); }
  uint32_t available() const { return pool_.available(); }

 private:
  PacketPool pool_;
};

}  // namespace wakegate::testing

#endif  // DATAPLANE_TESTING_EAL_FOR_TEST_H_
