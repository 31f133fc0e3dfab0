// The public gRPC server: all services, reflection and health.
#ifndef MGMT_SERVICES_SERVER_H_
#define MGMT_SERVICES_SERVER_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "grpcpp/grpcpp.h"
#include "mgmt/controller/controller.h"
#include "mgmt/listen/listen_address.h"
#include "mgmt/services/gateway_service.h"
#include "mgmt/services/stats_service.h"
#include "mgmt/services/tuning_service.h"

namespace wakegate {

class Server {
 public:
  // Of grpc.health.v1, beside "" (this process serves): the data plane is connected and runs what
  // is wanted.
  static constexpr char kDataplaneHealth[] = "wakegate.dataplane";
  // Of a request; a larger one is answered with RESOURCE_EXHAUSTED.
  static constexpr int kMaxRequestBytes = 4 << 20;

  // Serves on a Unix socket (mode 0660) and a TCP address. `controller` outlives it.
  static absl::StatusOr<std::unique_ptr<Server>> Start(Controller& controller,
                                                       const std::string& socket_path,
                                                       const ListenAddress& address);
  // Ends all calls, within a second where they do not wait for the data plane
  // (DataplaneClient::Stop ends these), and removes the socket.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Brings grpc.health.v1 up to date. Thread safe.
  void UpdateHealth();

  // The TCP port; the one that was chosen where 0 was asked for.
  int tcp_port() const { return tcp_port_; }

 private:
  explicit Server(Controller& controller);

  Controller& controller_;
  GatewayService gateway_service_;
  TuningService tuning_service_;
  StatsService stats_service_;
  int tcp_port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace wakegate

#endif  // MGMT_SERVICES_SERVER_H_
