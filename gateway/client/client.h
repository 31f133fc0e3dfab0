// A connection to wakegate-mgmt for C++ programs: wakegatectl, tests.
#ifndef GATEWAY_CLIENT_CLIENT_H_
#define GATEWAY_CLIENT_CLIENT_H_

#include <memory>
#include <string>

#include "gateway/client/status.h"
#include "grpcpp/grpcpp.h"
#include "wakegate/v1/gateway.grpc.pb.h"
#include "wakegate/v1/stats.grpc.pb.h"
#include "wakegate/v1/tuning.grpc.pb.h"

namespace wakegate {

// Thread safe.
class Client {
 public:
  // `address`: "unix:/run/wakegate/api.sock" or "host:port". Connects at the first call; a call
  // fails at once, UNAVAILABLE, where nobody listens there.
  explicit Client(const std::string& address);

  // Whether there is a connection: tells a gateway that answered UNAVAILABLE from none at all.
  bool IsConnected() const;

  v1::GatewayService::StubInterface& gateway() { return *gateway_; }
  v1::TuningService::StubInterface& tuning() { return *tuning_; }
  v1::StatsService::StubInterface& stats() { return *stats_; }
  const std::string& address() const { return address_; }

 private:
  std::string address_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::GatewayService::StubInterface> gateway_;
  std::unique_ptr<v1::TuningService::StubInterface> tuning_;
  std::unique_ptr<v1::StatsService::StubInterface> stats_;
};

}  // namespace wakegate

#endif  // GATEWAY_CLIENT_CLIENT_H_
