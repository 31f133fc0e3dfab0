// What a NAPI instance was set to before we set it.
#ifndef DATAPLANE_PORTS_AF_XDP_FOUND_DEFERRAL_H_
#define DATAPLANE_PORTS_AF_XDP_FOUND_DEFERRAL_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "dataplane/netdev/napi.h"
#include "gateway/files/atomic_file.h"

namespace wakegate {

// Kept in a file while it is set otherwise: who comes after a process that was killed finds there
// what it has to put back. Control thread.
class FoundDeferral {
 public:
  // `run_dir`: where the file is; empty: there is none. `napi`: as it is now.
  FoundDeferral(const std::string& run_dir, const Napi& napi);

  const NapiDeferral& value() const { return value_; }
  // Before it is set otherwise. An error: it would be lost.
  absl::Status Keep() const;
  // Once it is put back.
  void Forget() const;

 private:
  // Of the run of the kernel that still goes on; another one has other instances.
  std::optional<NapiDeferral> ReadKept() const;

  std::optional<AtomicFile> file_;
  NapiDeferral value_;
};

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_AF_XDP_FOUND_DEFERRAL_H_
