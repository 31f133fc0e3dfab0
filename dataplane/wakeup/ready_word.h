// The answer to "is there work?" where a word in memory knows it.
#ifndef DATAPLANE_WAKEUP_READY_WORD_H_
#define DATAPLANE_WAKEUP_READY_WORD_H_

#include <cstdint>

namespace wakegate {

// A word that the other side of a ring writes: a status, or a producer index. The queue is empty
// while the masked word has the idle value. A queue hands out a new one after each Receive, since
// the word (of the next frame) or the value (our own index) moves on.
struct ReadyWord {
  const uint32_t* word = nullptr;
  uint32_t mask = 0;
  uint32_t idle_value = 0;

  // Relaxed: Receive reads the ring again, with the order that the ring asks for.
  bool IsReady() const { return (__atomic_load_n(word, __ATOMIC_RELAXED) & mask) != idle_value; }
};

}  // namespace wakegate

#endif  // DATAPLANE_WAKEUP_READY_WORD_H_
