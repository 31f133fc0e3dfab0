// An io_uring, set up.
#ifndef DATAPLANE_KERNEL_IO_RING_H_
#define DATAPLANE_KERNEL_IO_RING_H_

#include <liburing.h>

#include <cstdint>

#include "absl/status/status.h"

namespace wakegate {

// Sets up `ring` for the calling thread alone, with room for that many entries and completions.
// io_uring_queue_exit ends it. An error: the kernel has no such ring, or forbids it to this
// process; says which and why.
//
// The kernel may only be told by that thread (IORING_SETUP_SINGLE_ISSUER), and completes what takes
// its time when the thread asks it to (IORING_SETUP_DEFER_TASKRUN): until then it sets a bit in a
// mapped word (IORING_SQ_TASKRUN), and nothing interrupts the thread. From Linux 6.1; before, from
// 5.19, the next system call of the thread completes it (IORING_SETUP_COOP_TASKRUN).
absl::Status SetUpIoRing(uint32_t entries, uint32_t completions, io_uring& ring);

// Likewise, for any thread, one at a time, and without any of that.
absl::Status SetUpSharedIoRing(uint32_t entries, io_uring& ring);

}  // namespace wakegate

#endif  // DATAPLANE_KERNEL_IO_RING_H_
