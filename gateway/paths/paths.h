// Where the processes of one gateway meet. All names are below two folders.
#ifndef GATEWAY_PATHS_PATHS_H_
#define GATEWAY_PATHS_PATHS_H_

#include <string>

namespace wakegate {

// On tmpfs: sockets, the ledger, and what the data plane restores after a crash.
inline constexpr char kDefaultRunDir[] = "/run/wakegate";
// On disk: the wanted configuration.
inline constexpr char kDefaultStateDir[] = "/var/lib/wakegate";
// The public API's TCP address, and that of Prometheus' scrape: loopback only.
inline constexpr char kDefaultListenAddress[] = "127.0.0.1:9470";
inline constexpr char kDefaultMetricsAddress[] = "127.0.0.1:9471";

// The public API's Unix socket.
inline std::string ApiSocketPath(const std::string& run_dir) { return run_dir + "/api.sock"; }
// The internal service that the data plane serves to mgmt.
inline std::string DataplaneSocketPath(const std::string& run_dir) {
  return run_dir + "/dataplane.sock";
}
// What the data plane applied last; it restores it when it starts.
inline std::string DataplaneConfigPath(const std::string& run_dir) {
  return run_dir + "/dataplane-config.json";
}
// What mgmt was asked for last.
inline std::string DesiredConfigPath(const std::string& state_dir) {
  return state_dir + "/config.json";
}

}  // namespace wakegate

#endif  // GATEWAY_PATHS_PATHS_H_
