#include "mgmt/services/server.h"

#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gateway/files/temporary_folder.h"
#include "google/protobuf/wrappers.pb.h"
#include "grpcpp/generic/generic_stub.h"
#include "mgmt/services/serving_test.h"

namespace wakegate {
namespace {

using grpc::StatusCode;

class ServerTest : public ServingTest {
 protected:
  std::string TcpAddress() const { return absl::StrCat("127.0.0.1:", server_->tcp_port()); }

  // grpc.health.v1.Health.Check: 1 is SERVING, 2 NOT_SERVING; -1 an error. Its messages have the
  // wire form of StringValue and Int32Value: one field, of number 1.
  int Health(const std::string& service) const {
    google::protobuf::StringValue request;
    request.set_value(service);
    google::protobuf::Int32Value response;
    grpc::TemplatedGenericStub<google::protobuf::StringValue, google::protobuf::Int32Value> stub(
        grpc::CreateChannel(TcpAddress(), grpc::InsecureChannelCredentials()));
    grpc::ClientContext context;
    grpc::CompletionQueue queue;
    grpc::Status status;
    const auto call =
        stub.PrepareUnaryCall(&context, "/grpc.health.v1.Health/Check", request, &queue);
    call->StartCall();
    call->Finish(&response, &status, nullptr);
    void* tag = nullptr;
    bool finished = false;
    EXPECT_TRUE(queue.Next(&tag, &finished));
    return status.ok() ? response.value() : -1;
  }
};

TEST_F(ServerTest, ServesOnTheSocketAndOnTcp) {
  struct stat file = {};
  ASSERT_EQ(stat(ApiSocketPath(folder_.path()).c_str(), &file), 0);
  EXPECT_TRUE(S_ISSOCK(file.st_mode));
  EXPECT_EQ(file.st_mode & 07777, 0660U);
  for (const std::string& address : {"unix:" + ApiSocketPath(folder_.path()), TcpAddress()}) {
    Client client(address);
    v1::GetConfigResponse response;
    grpc::ClientContext context;
    EXPECT_TRUE(client.gateway().GetConfig(&context, {}, &response).ok()) << address;
  }
}

TEST_F(ServerTest, ANameOf5MiBIsRefusedAndTheServerLives) {
  const grpc::Status status = Apply(TapConfig({std::string(5 << 20, 'x')}));
  EXPECT_EQ(status.error_code(), StatusCode::RESOURCE_EXHAUSTED) << status.error_message();
  // One that fits a request is refused by its length, in an answer that fits a header.
  const grpc::Status shorter = Apply(TapConfig({std::string(3 << 20, 'x')}));
  EXPECT_EQ(shorter.error_code(), StatusCode::INVALID_ARGUMENT) << shorter.error_message();
  EXPECT_LT(shorter.error_message().size(), 500U);
  v1::SetKnobRequest request;
  request.set_knob("burst_size");
  request.set_port(std::string(3 << 20, 'x'));
  request.set_value("1");
  v1::SetKnobResponse response;
  grpc::ClientContext context;
  EXPECT_EQ(client_.tuning().SetKnob(&context, request, &response).error_code(),
            StatusCode::NOT_FOUND);
  EXPECT_TRUE(Apply(TapConfig({"tap0"})).ok());
}

TEST_F(ServerTest, HealthFollowsTheDataPlane) {
  EXPECT_EQ(Health(""), 1);
  EXPECT_TRUE(Eventually([&] { return Health(Server::kDataplaneHealth) == 1; }));
  LoseDataplane();
  EXPECT_TRUE(Eventually([&] { return Health(Server::kDataplaneHealth) == 2; }));
  EXPECT_EQ(Health(""), 1);
  dataplane_.Start("boot-2");
  EXPECT_TRUE(Eventually([&] { return Health(Server::kDataplaneHealth) == 1; }));
  EXPECT_EQ(Health("unknown"), -1);
}

TEST_F(ServerTest, MoreChangesThanMayWaitAreRefusedAndReadersServed) {
  dataplane_.HoldApplies();
  std::atomic<int> refused = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < Turnstile::kMaxWaiting + 4; ++i) {
    threads.emplace_back([&, i] {
      const grpc::Status status = Apply(TapConfig({absl::StrCat("tap", i)}));
      if (status.error_code() == StatusCode::RESOURCE_EXHAUSTED) ++refused;
    });
  }
  EXPECT_TRUE(Eventually([&] { return refused == 3; }));
  v1::GetConfigResponse response;
  grpc::ClientContext context;
  EXPECT_TRUE(client_.gateway().GetConfig(&context, {}, &response).ok());
  dataplane_.ReleaseApplies();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(refused, 3);
}

TEST_F(ServerTest, ASecondServerIsToldWhoHasTheSocketOrThePort) {
  const auto same_socket = Server::Start(controller_, ApiSocketPath(folder_.path()),
                                         *ListenAddress::Parse("127.0.0.1:0"));
  EXPECT_TRUE(absl::IsAlreadyExists(same_socket.status())) << same_socket.status();
  const auto same_port = Server::Start(controller_, folder_.path() + "/other.sock",
                                       *ListenAddress::Parse(TcpAddress()));
  EXPECT_TRUE(absl::IsAlreadyExists(same_port.status())) << same_port.status();
  EXPECT_TRUE(Apply(TapConfig({"tap0"})).ok());
}

TEST_F(ServerTest, TheSocketIsGoneAfterwards) {
  reconciler_.reset();
  server_.reset();
  EXPECT_FALSE(std::filesystem::exists(ApiSocketPath(folder_.path())));
}

}  // namespace
}  // namespace wakegate
