// A gtest fixture: the public server, its controller, and a fake data plane behind it.
#ifndef MGMT_SERVICES_SERVING_TEST_H_
#define MGMT_SERVICES_SERVING_TEST_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "gateway/client/client.h"
#include "gateway/files/temporary_folder.h"
#include "gateway/paths/paths.h"
#include "gateway/testing/eventually.h"
#include "mgmt/controller/controller.h"
#include "mgmt/controller/reconciler.h"
#include "mgmt/services/server.h"
#include "mgmt/testing/configs.h"
#include "mgmt/testing/fake_dataplane.h"

namespace wakegate {

class ServingTest : public testing::Test {
 protected:
  void SetUp() override {
    dataplane_.Start("boot-1");
    auto server = Server::Start(controller_, ApiSocketPath(folder_.path()),
                                *ListenAddress::Parse("127.0.0.1:0"));
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    reconciler_ = std::make_unique<Reconciler>(controller_, [this] { server_->UpdateHealth(); });
    ASSERT_TRUE(Eventually([&] { return controller_.view()->in_sync(); }));
  }
  void TearDown() override {
    dataplane_client_.Stop();
    reconciler_.reset();
    server_.reset();
  }

  grpc::Status Apply(const v1::GatewayConfig& config, v1::ApplyResponse* response = nullptr) {
    v1::ApplyRequest request;
    *request.mutable_config() = config;
    v1::ApplyResponse ignored;
    grpc::ClientContext context;
    return client_.gateway().Apply(&context, request, response ? response : &ignored);
  }
  // The data plane goes, and mgmt knows.
  void LoseDataplane() {
    dataplane_.Kill();
    ASSERT_TRUE(Eventually([&] { return !controller_.view()->connection.ok(); }));
  }

  const TemporaryFolder folder_;
  FakeDataplane dataplane_{folder_.path()};
  DataplaneClient dataplane_client_{DataplaneSocketPath(folder_.path())};
  StateFile file_{folder_.path() + "/config.json"};
  Controller controller_{dataplane_client_, file_, {}};
  std::unique_ptr<Server> server_;
  std::unique_ptr<Reconciler> reconciler_;
  Client client_{"unix:" + ApiSocketPath(folder_.path())};
};

}  // namespace wakegate

#endif  // MGMT_SERVICES_SERVING_TEST_H_
