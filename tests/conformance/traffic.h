// A steady stream of numbered frames from one host to another.
#ifndef TESTS_CONFORMANCE_TRAFFIC_H_
#define TESTS_CONFORMANCE_TRAFFIC_H_

#include <atomic>
#include <cstdint>
#include <thread>

#include "tests/conformance/host.h"

namespace wakegate::testing {

// Sends all the while, some 10,000 frames each second where the machine allows it, whether or not
// they get through. Every frame that arrives must be one that was sent, whole, and later than the
// one before. Hosts may be told to go down meanwhile, but not to attach.
class Traffic {
 public:
  Traffic(Host& from, Host& to);
  // Stops.
  ~Traffic() { Stop(); }

  // Waits until frames arrive that are sent from now on.
  bool Flows() const;
  // Ends the sender, and the receiver once all that was sent has arrived or none comes any more.
  void Stop();

  // How many the host's end of the link took, and how many arrived.
  uint32_t sent() const { return sent_; }
  uint32_t received() const { return received_; }

 private:
  void Send();
  void Receive();

  Host& from_;
  Host& to_;
  std::atomic<bool> stop_ = false;
  std::atomic<bool> all_sent_ = false;  // Else the receiver may stop before the sender has.
  std::atomic<uint32_t> next_ = 1;      // The number of the next frame; some were refused.
  std::atomic<uint32_t> sent_ = 0;
  std::atomic<uint32_t> received_ = 0;
  std::atomic<uint32_t> last_ = 0;  // The number of the last that arrived.
  std::thread receiver_;
  std::thread sender_;
};

}  // namespace wakegate::testing

#endif  // TESTS_CONFORMANCE_TRAFFIC_H_
