#include "dataplane/ports/ethdev/driver_callbacks.h"

#include <dlfcn.h>
#include <rte_interrupts.h>

#include <map>
#include <vector>

#include "absl/strings/match.h"

namespace wakegate {
namespace {

constexpr std::string_view kDriver = "net_memif";
constexpr char kLibrary[] = "librte_net_memif.";  // The plugin that holds it.

struct Callbacks {
  // Held while a callback runs. The interrupt thread, and control.
  std::mutex running;
  std::vector<Gate*> gates;  // Open. Guarded by `running`.

  // Held for moments, by any thread, also within `running`.
  std::mutex listing;
  // By their argument, which is a different one for each with this driver.
  std::map<void*, rte_intr_callback_fn> registered;
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
  return found == callbacks().registered.end() ? nullptr : found->second;
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
  if (found != callbacks().registered.end() && found->second == callback) {
    callbacks().registered.erase(found);
  }
}

// DPDK's own function, behind the one of this program.
template <typename Function>
Function* Real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

bool AreCallbacksKeptApart(std::string_view driver) { return driver == kDriver; }

DriverCallbacksHeld::DriverCallbacksHeld() : lock_(callbacks().running) {}

void DriverCallbacksHeld::CloseDuringCallbacks(Gate& gate) { callbacks().gates.push_back(&gate); }

void DriverCallbacksHeld::LeaveAlone(Gate& gate) { std::erase(callbacks().gates, &gate); }

// DPDK's functions, of rte_interrupts.h.
extern "C" {

int rte_intr_callback_register(const rte_intr_handle* handle, rte_intr_callback_fn callback,
                               void* argument) {
  static const auto real = Real<decltype(rte_intr_callback_register)>("rte_intr_callback_register");
  if (!IsKeptApart(callback)) return real(handle, callback, argument);
  {
    // First: it may be called at once.
    const std::lock_guard lock(callbacks().listing);
    callbacks().registered[argument] = callback;
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
