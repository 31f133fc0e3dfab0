#include "dataplane/ports/ethdev/device.h"

#include <rte_bus.h>
#include <rte_dev.h>
#include <rte_devargs.h>

#include <cerrno>
#include <cstdlib>
#include <mutex>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "dataplane/kernel/kernel_error.h"
#include "dataplane/ports/ethdev/driver_callbacks.h"
#include "dataplane/ports/ethdev/interrupt_thread.h"
#include "dataplane/ports/ethdev/memif_listeners.h"
#include "dataplane/ports/ethdev/stale_socket.h"
#include "gateway/config/devargs.h"
#include "spdlog/spdlog.h"

namespace wakegate {
namespace {

constexpr char kSeeLog[] = "; the lines before this one in the log of the data plane say more";

// rte_dev_probe and rte_dev_remove change lists of the whole process without a lock.
std::mutex& PlugMutex() {
  static std::mutex mutex;
  return mutex;
}

// Guarded by PlugMutex.
MemifListeners& Listeners() {
  static MemifListeners listeners;
  return listeners;
}

// The first port of the device of that name; RTE_MAX_ETHPORTS: it has none.
uint16_t FindPort(const std::string& device) {
  uint16_t id;
  RTE_ETH_FOREACH_DEV(id) {
    rte_eth_dev_info info;
    if (rte_eth_dev_info_get(id, &info) == 0 && device == rte_dev_name(info.device)) return id;
  }
  return RTE_MAX_ETHPORTS;
}

absl::Status PlugError(int error, const std::string& device) {
  const std::string tried = absl::StrCat("plug in ", device);
  switch (error) {
    case -EFAULT:  // rte_devargs_parse: no bus knows the name.
      return absl::NotFoundError(
          absl::StrCat(tried,
                       ": no driver has such a device; names are like net_memif0 or 0000:03:00.0, "
                       "and the driver's package must be installed"));
    case -ENODEV:
      return absl::NotFoundError(absl::StrCat(
          tried, ": no such device; a PCI device must be bound to a driver, such as vfio-pci"));
    default:
      return absl::FailedPreconditionError(
          absl::StrCat(tried, ": its driver refused it, or none takes it", kSeeLog));
  }
}

// The bus whose drivers know the device. 0, or a negative errno.
int FindBus(const std::string& device, const rte_bus*& bus) {
  rte_devargs devargs;
  if (const int error = rte_devargs_parse(&devargs, device.c_str()); error != 0) return error;
  bus = devargs.bus;
  std::free(devargs.data);  // All that rte_devargs_reset does, which is not stable yet.
  return 0;
}

// 0, or a negative errno.
int Unplug(const std::string& device) {
  const rte_bus* bus = nullptr;
  if (const int error = FindBus(device, bus); error != 0) return error;
  return rte_eal_hotplug_remove(rte_bus_name(bus), device.c_str());
}

// A driver of a tap that reads only once a signal has come. All signals are blocked here.
absl::Status CheckIsUsable(const std::string& device) {
  if (!absl::StartsWith(device, "net_tap") && !absl::StartsWith(device, "net_tun")) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("plug in ", device,
                   ": this driver waits for signals, which would disturb the workers; use a "
                   "port of kind tap"));
}

}  // namespace

absl::Status EthernetDevice::Check(const std::string& devargs) {
  const std::lock_guard lock(PlugMutex());
  const std::string device = DeviceOfDevargs(devargs);
  if (absl::Status status = CheckIsUsable(device); !status.ok()) return status;
  const rte_bus* bus = nullptr;
  const int error = FindBus(device, bus);
  return error == 0 ? absl::OkStatus() : PlugError(error, device);
}

absl::StatusOr<EthernetDevice> EthernetDevice::Plug(const std::string& devargs) {
  const std::lock_guard lock(PlugMutex());
  const std::string device = DeviceOfDevargs(devargs);
  if (absl::Status status = CheckIsUsable(device); !status.ok()) return status;
  // rte_dev_probe would say nothing against it.
  if (FindPort(device) != RTE_MAX_ETHPORTS) {
    return absl::AlreadyExistsError(absl::StrCat("plug in ", device, ": it is in use already"));
  }
  RemoveStaleSocket(devargs);
  const DriverCallbacksHeld held(device);
  const std::set<void*> callbacks_before = held.Arguments();
  const size_t arguments = devargs.find(',');
  const int error = rte_dev_probe(
      absl::StrCat(device, arguments == std::string::npos ? "" : devargs.substr(arguments))
          .c_str());
  if (error != 0) return PlugError(error, device);
  const uint16_t id = FindPort(device);
  if (id == RTE_MAX_ETHPORTS) {
    Unplug(device);
    return absl::InvalidArgumentError(
        absl::StrCat("plug in ", device, ": it is no network device"));
  }
  Listeners().Plugged(devargs, held, callbacks_before);
  return EthernetDevice(devargs, device, id);
}

EthernetDevice::~EthernetDevice() {
  if (id_ == RTE_MAX_ETHPORTS) return;
  const std::lock_guard lock(PlugMutex());
  absl::Status status;
  WaitForInterruptThread();
  DriverCallbacksHeld held(name_);
  Listeners().Closing(devargs_, held);
  if (const int error = rte_eth_dev_close(id_); error != 0) status.Update(Error(error, "close"));
  if (const int error = Unplug(name_); error != 0) status.Update(Error(error, "unplug"));
  if (!status.ok()) spdlog::error("{}", std::string(status.message()));
}

absl::StatusOr<rte_eth_dev_info> EthernetDevice::Info() const {
  rte_eth_dev_info info;
  if (const int error = rte_eth_dev_info_get(id_, &info); error != 0) {
    return Error(error, "ask about");
  }
  return info;
}

// Many drivers return -1 for any reason; read as an errno it would say that a right is missing.
absl::Status EthernetDevice::Error(int error, absl::string_view tried) const {
  if (error != -1) return KernelError(-error, absl::StrCat(tried, " ", name_));
  return absl::FailedPreconditionError(
      absl::StrCat(tried, " ", name_, ": its driver refused it", kSeeLog));
}

}  // namespace wakegate
