// A network namespace beside the test's own.
#ifndef TESTS_CONFORMANCE_NETWORK_NAMESPACE_H_
#define TESTS_CONFORMANCE_NETWORK_NAMESPACE_H_

#include <string>

#include "dataplane/kernel/file_descriptor.h"

namespace wakegate::testing {

// Fresh and empty; it vanishes, and with it the devices in it, once this and all sockets in it are
// gone. Needs root.
class NetworkNamespace {
 public:
  NetworkNamespace();

  // What `ip link set … netns` takes.
  std::string path() const;
  // Runs `ip <arguments>` in it, which must succeed.
  void Ip(const std::string& arguments) const;

  // While it lives, the calling thread is in the namespace.
  class Visit {
   public:
    explicit Visit(const NetworkNamespace& network);
    ~Visit();
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;

   private:
    FileDescriptor home_;
  };

 private:
  FileDescriptor namespace_;
};

}  // namespace wakegate::testing

#endif  // TESTS_CONFORMANCE_NETWORK_NAMESPACE_H_
