#include "gateway/client/client.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

namespace wakegate {
namespace {

// Answers GetConfig with more than gRPC's default limit of 4 MiB, and refuses Apply.
class LargeGateway final : public v1::GatewayService::Service {
 public:
  grpc::Status GetConfig(grpc::ServerContext* context, const v1::GetConfigRequest*,
                         v1::GetConfigResponse* response) override {
    const grpc::string_ref authority = context->ExperimentalGetAuthority();
    authority_.assign(authority.data(), authority.size());
    for (int i = 0; i < 100'000; ++i) {
      response->mutable_config()->add_ports()->set_name(std::string(50, 'a'));
    }
    return grpc::Status::OK;
  }
  grpc::Status Apply(grpc::ServerContext*, const v1::ApplyRequest*, v1::ApplyResponse*) override {
    return grpc::Status(grpc::StatusCode::UNAVAILABLE, "the data plane does not answer");
  }
  const std::string& authority() const { return authority_; }

 private:
  std::string authority_;
};

class ClientTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(mkdtemp(dir_.data()), nullptr);
    address_ = "unix:" + dir_ + "/api.sock";
  }
  void TearDown() override {
    server_.reset();
    std::filesystem::remove_all(dir_);
  }
  void Start() {
    grpc::ServerBuilder builder;
    builder.AddListeningPort(address_, grpc::InsecureServerCredentials());
    builder.RegisterService(&service_);
    server_ = builder.BuildAndStart();
    ASSERT_NE(server_, nullptr);
  }
  grpc::Status GetConfig(Client& client, v1::GetConfigResponse* response) {
    grpc::ClientContext context;
    return client.gateway().GetConfig(&context, v1::GetConfigRequest(), response);
  }

  std::string dir_ = "/tmp/client_testXXXXXX";  // Bazel's own is too long for a socket's path.
  std::string address_;
  LargeGateway service_;
  std::unique_ptr<grpc::Server> server_;
};

TEST_F(ClientTest, ALargeAnswerArrivesOverAUnixSocket) {
  Start();
  Client client(address_);
  v1::GetConfigResponse response;
  const grpc::Status status = GetConfig(client, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response.config().ports_size(), 100'000);
  EXPECT_EQ(service_.authority(), "localhost");
}

TEST_F(ClientTest, NobodyListeningIsToldFromAGatewayThatRefuses) {
  Client client(address_);
  v1::GetConfigResponse response;
  EXPECT_EQ(GetConfig(client, &response).error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_FALSE(client.IsConnected());

  Start();
  Client second(address_);
  grpc::ClientContext context;
  v1::ApplyResponse applied;
  const grpc::Status status = second.gateway().Apply(&context, v1::ApplyRequest(), &applied);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_TRUE(second.IsConnected());
}

TEST(StatusConversionTest, KeepsCodeAndText) {
  for (int code = 0; code <= 16; ++code) {
    const absl::Status status(static_cast<absl::StatusCode>(code), code == 0 ? "" : "text");
    EXPECT_EQ(ToAbslStatus(ToGrpcStatus(status)), status);
    EXPECT_EQ(ToGrpcStatus(status).error_code(), code);
  }
}

}  // namespace
}  // namespace wakegate
