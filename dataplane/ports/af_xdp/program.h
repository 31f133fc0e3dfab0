// The XDP program of a port, on its device.
#ifndef DATAPLANE_PORTS_AF_XDP_PROGRAM_H_
#define DATAPLANE_PORTS_AF_XDP_PROGRAM_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "dataplane/kernel/file_descriptor.h"
#include "gateway/config/xdp_selector.h"

struct xsk_program_bpf;

namespace wakegate {

// Control thread. The program is attached by a BPF link: it leaves the device when this is
// destroyed, and when the process ends, however that ends.
class XdpProgram {
 public:
  // As the kernel shows it (`ip link`, `bpftool net`).
  static constexpr char kName[] = "wakegate_xsk";

  static absl::StatusOr<XdpProgram> Load(const XdpSelector& selector);

  // To a device of the calling thread's network namespace. `generic`: the kernel runs it, not the
  // driver. ALREADY_EXISTS where another program is there, which stays: the error names it. While
  // that is one of ours, as of a gateway that is just ending, it is waited for, up to 2 s.
  absl::Status Attach(int interface_index, const std::string& interface, bool generic);
  void Detach() { link_ = FileDescriptor(); }

  // Gives what arrives at that receive queue of the device to an AF_XDP socket bound to it.
  absl::Status SetSocket(uint32_t queue, int socket);

 private:
  struct Destroy {
    void operator()(xsk_program_bpf* skeleton) const;
  };
  explicit XdpProgram(xsk_program_bpf* skeleton) : skeleton_(skeleton) {}

  std::unique_ptr<xsk_program_bpf, Destroy> skeleton_;
  FileDescriptor link_;
};

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_AF_XDP_PROGRAM_H_
