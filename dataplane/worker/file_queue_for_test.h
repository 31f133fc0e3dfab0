// A receive queue whose readiness a file tells.
#ifndef DATAPLANE_WORKER_FILE_QUEUE_FOR_TEST_H_
#define DATAPLANE_WORKER_FILE_QUEUE_FOR_TEST_H_

#include <gtest/gtest.h>
#include <rte_mempool.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>

#include "dataplane/kernel/file_descriptor.h"
#include "dataplane/packet/batch.h"
#include "dataplane/testing/frames.h"
#include "dataplane/wakeup/queue_concepts.h"

namespace wakegate::testing {

// A byte is a packet. One thread.
class FileQueue {
 public:
  explicit FileQueue(rte_mempool* pool) : pool_(pool) {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
    own_ = FileDescriptor(ends[0]);
    host_ = FileDescriptor(ends[1]);
  }

  void Arrive() const { EXPECT_EQ(write(host_.get(), "x", 1), 1); }
  RxResult Receive(Batch& out) {
    ++looks;
    char byte;
    while (!out.full()) {
      if (read(own_.get(), &byte, 1) != 1) return RxResult::kDrained;
      out.Append(MakePacket(pool_, Pattern(60, 1)));
    }
    return RxResult::kMore;
  }
  bool Arm() { return true; }
  void Disarm() {}
  int wait_fd() { return own_.get(); }

  uint32_t looks = 0;

 private:
  rte_mempool* pool_;
  FileDescriptor own_;
  FileDescriptor host_;
};

}  // namespace wakegate::testing

#endif  // DATAPLANE_WORKER_FILE_QUEUE_FOR_TEST_H_
