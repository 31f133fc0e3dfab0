#include "dataplane/ports/ethdev/driver_callbacks.h"

#include <dlfcn.h>
#include <rte_interrupts.h>
#include <unistd.h>

#include <map>
#include <vector>

#include "absl/strings/match.h"

namespace wakegate {
namespace {

constexpr std::string_view kDriver = "net_memif";
constexpr char kLibrary[] = "librte_net_memif.";  // The plugin that holds it.

struct Registration {
  rte_intr_callback_fn callback = nullptr;
  const rte_intr_handle* handle = nullptr;  // The driver's, for as long as it listens to it.
};

struct Callbacks {
  // Held while a callback runs. The interrupt thread, and control.
  std::mutex running;
  std::vector<Gate*> gates;  // Open. Guarded by `running`.

  // Held for moments, by any thread, also within `running`.
  std::mutex listing;
  // By their argument, which is a different one for each with this driver.
  std::map<void*, Registration> registered;
};

Callbacks& callbacks() {
  static auto* const callbacks = new Callbacks;  // The interrupt thread runs until the very end.
  return *callbacks;
}

bool IsKeptApart(rte_intr_callback_fn callback) {
  Dl_info where = {};
  return dladdr(reinterpret_cast<const void*>(callback), &where) != 0 &&
         absl::StrContains(where.dli_fname, kLibrary);
}

rte_intr_callback_fn Registered(void* argument) {
  const std::lock_guard lock(callbacks().listing);
  const auto found = callbacks().registered.find(argument);
  return found == callbacks().registered.end() ? nullptr : found->second.callback;
}

// What DPDK calls in place of the driver's own.
void RunKeptApart(void* argument) {
  const std::lock_guard lock(callbacks().running);
  // Only now: control may have taken it back meanwhile, with the device it is for.
  const rte_intr_callback_fn callback = Registered(argument);
  if (callback == nullptr) return;
  for (Gate* gate : callbacks().gates) gate->Close();
  callback(argument);
  for (Gate* gate : callbacks().gates) gate->Open();
}

// What DPDK knows the callback as.
rte_intr_callback_fn KnownAs(rte_intr_callback_fn callback, void* argument) {
  return Registered(argument) == callback ? RunKeptApart : callback;
}

void Forget(rte_intr_callback_fn callback, void* argument) {
  const std::lock_guard lock(callbacks().listing);
  const auto found = callbacks().registered.find(argument);
  if (found != callbacks().registered.end() && found->second.callback == callback) {
    callbacks().registered.erase(found);
  }
}

// DPDK's own function, behind the one of this program.
template <typename Function>
Function* Real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

DriverCallbacksHeld::DriverCallbacksHeld(std::string_view device)
    : lock_(callbacks().running, std::defer_lock) {
  if (device.starts_with(kDriver)) lock_.lock();
}

void DriverCallbacksHeld::CloseDuringCallbacks(Gate& gate) {
  if (lock_.owns_lock()) callbacks().gates.push_back(&gate);
}

void DriverCallbacksHeld::LeaveAlone(Gate& gate) {
  if (lock_.owns_lock()) std::erase(callbacks().gates, &gate);
}

std::set<void*> DriverCallbacksHeld::Arguments() const {
  std::set<void*> arguments;
  if (!lock_.owns_lock()) return arguments;
  const std::lock_guard lock(callbacks().listing);
  for (const auto& [argument, registration] : callbacks().registered) arguments.insert(argument);
  return arguments;
}

void DriverCallbacksHeld::TakeBack(void* argument) {
  if (!lock_.owns_lock()) return;
  Registration left;
  {
    const std::lock_guard lock(callbacks().listing);
    const auto found = callbacks().registered.find(argument);
    if (found == callbacks().registered.end()) return;
    left = found->second;
  }
  const auto close_file = [](rte_intr_handle* handle, void*) { close(rte_intr_fd_get(handle)); };
  const int file = rte_intr_fd_get(left.handle);
  if (rte_intr_callback_unregister(left.handle, left.callback, argument) > 0) {
    close(file);
  } else {
    // It is about to run, and finds that it is no longer registered.
    rte_intr_callback_unregister_pending(left.handle, left.callback, argument, close_file);
  }
}

// DPDK's functions, of rte_interrupts.h.
extern "C" {

int rte_intr_callback_register(const rte_intr_handle* handle, rte_intr_callback_fn callback,
                               void* argument) {
  static const auto real = Real<decltype(rte_intr_callback_register)>("rte_intr_callback_register");
  if (!IsKeptApart(callback)) return real(handle, callback, argument);
  {
    // First: it may be called at once.
    const std::lock_guard lock(callbacks().listing);
    callbacks().registered[argument] = {callback, handle};
  }
  const int error = real(handle, RunKeptApart, argument);
  if (error != 0) Forget(callback, argument);
  return error;
}

int rte_intr_callback_unregister(const rte_intr_handle* handle, rte_intr_callback_fn callback,
                                 void* argument) {
  static const auto real =
      Real<decltype(rte_intr_callback_unregister)>("rte_intr_callback_unregister");
  const int removed = real(handle, KnownAs(callback, argument), argument);
  if (removed > 0) Forget(callback, argument);
  return removed;
}

// The callback is running, or about to. It is not called again.
int rte_intr_callback_unregister_pending(const rte_intr_handle* handle,
                                         rte_intr_callback_fn callback, void* argument,
                                         rte_intr_unregister_callback_fn done) {
  static const auto real =
      Real<decltype(rte_intr_callback_unregister_pending)>("rte_intr_callback_unregister_pending");
  const int removed = real(handle, KnownAs(callback, argument), argument, done);
  if (removed > 0) Forget(callback, argument);
  return removed;
}

}  // extern "C"

}  // namespace wakegate
