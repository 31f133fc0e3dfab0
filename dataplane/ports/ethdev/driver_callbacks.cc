#include "dataplane/ports/ethdev/driver_callbacks.h"

#include <dlfcn.h>
#include <rte_interrupts.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/match.h"

namespace wakegate {
namespace {

constexpr std::string_view kDriver = "net_memif";
constexpr char kLibrary[] = "librte_net_memif.";  // The plugin that holds it.

struct Registration {
  rte_intr_callback_fn callback = nullptr;
  int file = -1;  // What DPDK waits for, and which file that was.
  ino_t inode = 0;
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

std::optional<Registration> Find(void* argument) {
  const std::lock_guard lock(callbacks().listing);
  const auto found = callbacks().registered.find(argument);
  if (found == callbacks().registered.end()) return std::nullopt;
  return found->second;
}

// 0: it is closed.
ino_t InodeOf(int file) {
  struct stat status = {};
  return fstat(file, &status) == 0 ? status.st_ino : 0;
}

// For DPDK to find the file's callbacks by. Nullptr: out of memory.
std::unique_ptr<rte_intr_handle, void (*)(rte_intr_handle*)> HandleOf(int file) {
  std::unique_ptr<rte_intr_handle, void (*)(rte_intr_handle*)> handle(
      rte_intr_instance_alloc(RTE_INTR_INSTANCE_F_PRIVATE), rte_intr_instance_free);
  if (handle != nullptr) rte_intr_fd_set(handle.get(), file);
  return handle;
}

// Where its peer has gone before it could be greeted, the driver (22.11) closes the connection that
// it has just registered. DPDK ends the process where it has to wait for a closed file.
void TakeBackClosed() {
  std::vector<std::pair<void*, Registration>> closed;
  {
    const std::lock_guard lock(callbacks().listing);
    std::ranges::copy_if(callbacks().registered, std::back_inserter(closed), [](const auto& entry) {
      return InodeOf(entry.second.file) != entry.second.inode;
    });
  }
  for (const auto& [argument, registration] : closed) {
    rte_intr_callback_unregister(HandleOf(registration.file).get(), registration.callback,
                                 argument);
  }
}

// What DPDK calls in place of the driver's own.
void RunKeptApart(void* argument) {
  const std::lock_guard lock(callbacks().running);
  // Only now: control may have taken it back meanwhile, with the device it is for.
  const std::optional<Registration> registration = Find(argument);
  if (!registration.has_value()) return;
  for (Gate* gate : callbacks().gates) gate->Close();
  registration->callback(argument);
  TakeBackClosed();
  for (Gate* gate : callbacks().gates) gate->Open();
}

// What DPDK knows the callback as.
rte_intr_callback_fn KnownAs(rte_intr_callback_fn callback, void* argument) {
  const std::optional<Registration> registration = Find(argument);
  return registration.has_value() && registration->callback == callback ? RunKeptApart : callback;
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
  const std::optional<Registration> left = Find(argument);
  if (!left.has_value()) return;
  const auto handle = HandleOf(left->file);
  if (rte_intr_callback_unregister(handle.get(), left->callback, argument) > 0) {
    close(left->file);
    return;
  }
  // It is about to run, and finds that it is no longer registered.
  const auto close_file = [](rte_intr_handle* file, void*) { close(rte_intr_fd_get(file)); };
  rte_intr_callback_unregister_pending(handle.get(), left->callback, argument, close_file);
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
    const int file = rte_intr_fd_get(handle);
    callbacks().registered[argument] = {callback, file, InodeOf(file)};
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
