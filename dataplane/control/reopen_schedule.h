// When to try again to open a port whose device failed. Pure.
#ifndef DATAPLANE_CONTROL_REOPEN_SCHEDULE_H_
#define DATAPLANE_CONTROL_REOPEN_SCHEDULE_H_

#include <chrono>
#include <map>
#include <string>

#include "gateway/backoff/backoff.h"

namespace wakegate {

// One thread at a time. Ports by name; one that is not known yet is due at once.
class ReopenSchedule {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // Whether to try now. A device that has just come is worth a try before its time.
  bool IsDue(const std::string& port, Time now, bool devices_changed) const {
    const auto entry = entries_.find(port);
    return entry == entries_.end() || devices_changed || now >= entry->second.due;
  }
  // The try failed: the next one is later.
  void Failed(const std::string& port, Time now) {
    Entry& entry = entries_.try_emplace(port).first->second;
    entry.due = now + entry.backoff.Next();
  }
  // It is open, or gone.
  void Forget(const std::string& port) { entries_.erase(port); }

 private:
  struct Entry {
    Backoff backoff{std::chrono::seconds(1), std::chrono::seconds(30)};
    Time due;
  };
  std::map<std::string, Entry> entries_;
};

}  // namespace wakegate

#endif  // DATAPLANE_CONTROL_REOPEN_SCHEDULE_H_
