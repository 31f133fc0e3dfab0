// A network namespace other than the calling thread's own.
#ifndef DATAPLANE_NETDEV_NETWORK_NAMESPACE_H_
#define DATAPLANE_NETDEV_NETWORK_NAMESPACE_H_

#include <sys/types.h>

#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "dataplane/kernel/file_descriptor.h"

namespace wakegate {

// Held open, so that it does not vanish. Thread safe.
class NetworkNamespace {
 public:
  // That of the calling thread.
  static absl::StatusOr<NetworkNamespace> Current();
  // `place`: a name under /run/netns, where "ip netns add" puts it, or an absolute path. NOT_FOUND
  // where there is none, INVALID_ARGUMENT where it is something else.
  static absl::StatusOr<NetworkNamespace> Open(absl::string_view place);
  // The one at `place`; where that is empty, `own`.
  static absl::StatusOr<NetworkNamespace> OpenOr(const std::string& place,
                                                 const NetworkNamespace& own);
  // Takes a descriptor that the kernel gave, such as TUNGETDEVNETNS does.
  static absl::StatusOr<NetworkNamespace> Of(FileDescriptor file);

  // UNAVAILABLE where `place`, at which this one was, names another now: this one was deleted, and
  // is kept by us alone. OK where it is empty, or names none.
  absl::Status CheckStillAt(const std::string& place) const;

  // Not valid where the process has too many files open.
  NetworkNamespace Duplicate() const { return {file_.Duplicate(), inode_}; }
  bool valid() const { return file_.valid(); }

  int fd() const { return file_.get(); }
  // Which one it is; unique while it is there.
  ino_t inode() const { return inode_; }
  friend bool operator==(const NetworkNamespace& a, const NetworkNamespace& b) {
    return a.inode_ == b.inode_;
  }
  // For people: "blue" for /run/netns/blue, else the path where it is mounted, else
  // "net:[4026532281]". Reads /proc/self/mountinfo.
  std::string Name() const;

  // Calls `work` in it and gives its result: on the calling thread where that is in there, else on
  // a thread of its own, so that the caller is never, not even after a failure, in the wrong one.
  // Sockets that are made there stay there. Another one takes CAP_SYS_ADMIN.
  absl::Status Run(absl::FunctionRef<absl::Status()> work) const;
  // Likewise; an error says where, unless that is `own`.
  absl::Status RunFor(const NetworkNamespace& own, absl::FunctionRef<absl::Status()> work) const;

 private:
  NetworkNamespace(FileDescriptor file, ino_t inode) : file_(std::move(file)), inode_(inode) {}

  FileDescriptor file_;
  ino_t inode_;
};

}  // namespace wakegate

#endif  // DATAPLANE_NETDEV_NETWORK_NAMESPACE_H_
