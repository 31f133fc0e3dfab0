#include "tests/conformance/ip_stack.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"

namespace wakegate::testing {
namespace {

int Family(IpVersion version) { return version == IpVersion::kIpv4 ? AF_INET : AF_INET6; }

// "Tcp: A B" and then "Tcp: 1 2".
uint64_t FindInTable(std::istream& file, const std::string& protocol, const std::string& name) {
  std::string names_line;
  std::string values_line;
  while (std::getline(file, names_line) && std::getline(file, values_line)) {
    std::istringstream names(names_line);
    std::istringstream values(values_line);
    std::string found;
    std::string value;
    while (names >> found && values >> value) {
      if (names_line.starts_with(protocol + ":") && found == name) return std::stoull(value);
    }
  }
  ADD_FAILURE() << "the kernel has no counter " << protocol << " " << name;
  return 0;
}

// "Udp6InCsumErrors 1".
uint64_t FindInList(std::istream& file, const std::string& wanted) {
  std::string name;
  uint64_t value;
  while (file >> name >> value) {
    if (name == wanted) return value;
  }
  ADD_FAILURE() << "the kernel has no counter " << wanted;
  return 0;
}

}  // namespace

IpStack::IpStack(const NetworkNamespace& network, const std::string& device, int number)
    : network_(network), number_(number) {
  const NetworkNamespace::Visit visit(network_);
  const std::string switch_on =
      absl::StrCat("echo 0 > /proc/sys/net/ipv6/conf/", device, "/disable_ipv6");
  EXPECT_EQ(std::system(switch_on.c_str()), 0) << switch_on;
  network_.Ip(absl::StrCat("link set dev ", device, " up"));
  network_.Ip(absl::StrCat("address add 10.0.0.", number, "/24 dev ", device));
  network_.Ip(absl::StrCat("address add fd00::", number, "/64 dev ", device, " nodad"));
}

Endpoint IpStack::At(IpVersion version, uint16_t port) const {
  Endpoint endpoint;
  if (version == IpVersion::kIpv4) {
    auto& address = reinterpret_cast<sockaddr_in&>(endpoint.address);
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    inet_pton(AF_INET, absl::StrCat("10.0.0.", number_).c_str(), &address.sin_addr);
    endpoint.size = sizeof(address);
  } else {
    auto& address = reinterpret_cast<sockaddr_in6&>(endpoint.address);
    address.sin6_family = AF_INET6;
    address.sin6_port = htons(port);
    inet_pton(AF_INET6, absl::StrCat("fd00::", number_).c_str(), &address.sin6_addr);
    endpoint.size = sizeof(address);
  }
  return endpoint;
}

FileDescriptor IpStack::Socket(IpVersion version, int type) const {
  const NetworkNamespace::Visit visit(network_);
  FileDescriptor socket(::socket(Family(version), type | SOCK_CLOEXEC, 0));
  EXPECT_TRUE(socket.valid()) << std::strerror(errno);
  const timeval timeout = {.tv_sec = kSocketSeconds, .tv_usec = 0};
  for (const int option : {SO_RCVTIMEO, SO_SNDTIMEO}) {
    EXPECT_EQ(setsockopt(socket.get(), SOL_SOCKET, option, &timeout, sizeof(timeout)), 0);
  }
  return socket;
}

uint64_t IpStack::Counter(const std::string& protocol, const std::string& name) const {
  const NetworkNamespace::Visit visit(network_);
  if (protocol.ends_with("6")) {
    std::ifstream file("/proc/thread-self/net/snmp6");
    return FindInList(file, protocol + name);
  }
  std::ifstream file("/proc/thread-self/net/snmp");
  return FindInTable(file, protocol, name);
}

}  // namespace wakegate::testing
