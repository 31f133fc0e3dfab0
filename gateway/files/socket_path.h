// Making sure that a Unix socket's path is free to listen on.
#ifndef GATEWAY_FILES_SOCKET_PATH_H_
#define GATEWAY_FILES_SOCKET_PATH_H_

#include <string>

#include "absl/status/status.h"

namespace wakegate {

// Removes the socket that a killed process left at `path`. ALREADY_EXISTS where a process listens
// on it, FAILED_PRECONDITION where something else than a socket is there, INVALID_ARGUMENT where
// the path does not fit sockaddr_un. To be called before gRPC listens: it would silently take the
// path from a living server.
absl::Status FreeSocketPath(const std::string& path);

}  // namespace wakegate

#endif  // GATEWAY_FILES_SOCKET_PATH_H_
