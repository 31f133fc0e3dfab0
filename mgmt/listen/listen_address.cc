#include "mgmt/listen/listen_address.h"

#include <netdb.h>
#include <netinet/in.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "gateway/config/quote.h"

namespace wakegate {
namespace {

absl::Status Invalid(std::string_view text, const char* problem) {
  return absl::InvalidArgumentError(
      absl::StrCat(Quoted(text), " ", problem, "; write it as 127.0.0.1:9470 or [::1]:9470"));
}

}  // namespace

absl::StatusOr<ListenAddress> ListenAddress::Parse(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return Invalid(text, "has no port");
  std::string host(text.substr(0, colon));
  const std::string port(text.substr(colon + 1));
  int number = -1;
  if (!absl::SimpleAtoi(port, &number) || number < 0 || number > 65535) {
    return Invalid(text, "has no port from 0 to 65535");
  }
  const bool bracketed = host.size() >= 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  if (host == "localhost") host = "127.0.0.1";

  addrinfo hints = {};
  hints.ai_family = bracketed ? AF_INET6 : AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (host.empty() || getaddrinfo(host.c_str(), port.c_str(), &hints, &found) != 0) {
    return Invalid(text, "does not begin with an IP address");
  }
  const absl::Cleanup free_found = [found] { freeaddrinfo(found); };
  ListenAddress result;
  std::memcpy(&result.address_, found->ai_addr, found->ai_addrlen);
  result.size_ = found->ai_addrlen;
  result.text_ = absl::StrCat(bracketed ? absl::StrCat("[", host, "]") : host, ":", number);
  return result;
}

bool ListenAddress::IsLoopback() const {
  if (address_.ss_family == AF_INET6) {
    return IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6&>(address_).sin6_addr);
  }
  const auto& ipv4 = reinterpret_cast<const sockaddr_in&>(address_);
  return ntohl(ipv4.sin_addr.s_addr) >> 24 == 127;  // RFC 1122, 3.2.1.3: 127.0.0.0/8.
}

absl::Status ListenAddress::CheckFree(std::string_view flag) const {
  const int fd = socket(address_.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return absl::ErrnoToStatus(errno, absl::StrCat("make a socket for ", text_));
  const absl::Cleanup close_fd = [fd] { close(fd); };
  const int on = 1;
  // As servers do: connections of an earlier process that linger are no obstacle.
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (bind(fd, reinterpret_cast<const sockaddr*>(&address_), size_) == 0) return absl::OkStatus();
  const int error = errno;
  const std::string what =
      absl::StrCat("listen on ", text_, " (", std::string(flag), "): ", strerror(error));
  if (error != EADDRINUSE) return absl::ErrnoToStatus(error, what);
  return absl::AlreadyExistsError(
      absl::StrCat(what, "; stop the program that has it (ss -ltnp shows it) or give another ",
                   std::string(flag)));
}

void ListenAddress::Nudge() const {
  const int fd = socket(address_.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return;
  // Whether it works is for the listener to notice.
  (void)connect(fd, reinterpret_cast<const sockaddr*>(&address_), size_);
  close(fd);
}

ListenAddress ListenAddress::WithPort(int port) const {
  return *Parse(absl::StrCat(text_.substr(0, text_.rfind(':')), ":", port));
}

}  // namespace wakegate
