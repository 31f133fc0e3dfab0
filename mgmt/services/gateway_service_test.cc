#include "mgmt/services/gateway_service.h"

#include <chrono>
#include <string>
#include <thread>

#include "gateway/version/version.h"
#include "mgmt/services/serving_test.h"

namespace wakegate {
namespace {

using grpc::StatusCode;

class GatewayServiceTest : public ServingTest {
 protected:
  v1::GetStatusResponse GetStatus() {
    v1::GetStatusResponse response;
    grpc::ClientContext context;
    EXPECT_TRUE(client_.gateway().GetStatus(&context, {}, &response).ok());
    return response;
  }
  grpc::Status ListPorts(v1::ListPortsResponse& response) {
    grpc::ClientContext context;
    return client_.gateway().ListPorts(&context, {}, &response);
  }
};

TEST_F(GatewayServiceTest, WhatIsAppliedIsListed) {
  v1::ApplyResponse applied;
  ASSERT_TRUE(Apply(TapConfig({"tap1", "tap0"}), &applied).ok());
  EXPECT_EQ(applied.generation(), 1U);
  EXPECT_EQ(applied.changes_size(), 2);

  v1::GetConfigResponse config;
  grpc::ClientContext context;
  ASSERT_TRUE(client_.gateway().GetConfig(&context, {}, &config).ok());
  EXPECT_EQ(config.generation(), 1U);
  EXPECT_EQ(config.config().ports(0).name(), "tap1");

  v1::ListPortsResponse ports;
  ASSERT_TRUE(ListPorts(ports).ok());
  ASSERT_EQ(ports.ports_size(), 2);
  EXPECT_EQ(ports.ports(0).name(), "tap0");
}

TEST_F(GatewayServiceTest, EachErrorHasItsCode) {
  EXPECT_EQ(Apply(TapConfig({"a b"})).error_code(), StatusCode::INVALID_ARGUMENT);
  v1::GatewayConfig many;
  for (int i = 0; i < 5000; ++i) {
    many.add_ports()->set_name("tap" + std::to_string(i));
    many.mutable_ports(i)->mutable_tap();
  }
  EXPECT_EQ(Apply(many).error_code(), StatusCode::RESOURCE_EXHAUSTED);

  v1::ApplyRequest stale;
  stale.set_expected_generation(9);
  v1::ApplyResponse response;
  grpc::ClientContext context;
  EXPECT_EQ(client_.gateway().Apply(&context, stale, &response).error_code(), StatusCode::ABORTED);

  dataplane_.RefuseApplies(
      absl::FailedPreconditionError("TUNSETIFF tap0: Operation not permitted"));
  const grpc::Status refused = Apply(TapConfig({"tap0"}));
  EXPECT_EQ(refused.error_code(), StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(refused.error_message(), "TUNSETIFF tap0: Operation not permitted");

  LoseDataplane();
  EXPECT_EQ(Apply(TapConfig({"tap0"})).error_code(), StatusCode::UNAVAILABLE);
  v1::ListPortsResponse ports;
  EXPECT_EQ(ListPorts(ports).error_code(), StatusCode::UNAVAILABLE);
}

TEST_F(GatewayServiceTest, StatusTellsOfBothProcesses) {
  v1::GetStatusResponse status = GetStatus();
  EXPECT_EQ(status.mgmt_version(), kVersion);
  EXPECT_TRUE(status.dataplane_connected());
  EXPECT_TRUE(status.in_sync());
  EXPECT_EQ(status.dataplane_text(), "");
  EXPECT_EQ(status.dataplane().boot_id(), "boot-1");
  EXPECT_EQ(status.stored_config_text(), "");

  LoseDataplane();
  status = GetStatus();
  EXPECT_FALSE(status.dataplane_connected());
  EXPECT_FALSE(status.in_sync());
  EXPECT_NE(status.dataplane_text().find("does not answer"), std::string::npos);
  EXPECT_EQ(status.dataplane().boot_id(), "boot-1");
}

TEST_F(GatewayServiceTest, ReadersAreAnsweredDuringASlowApply) {
  dataplane_.HoldApplies();
  std::thread slow([this] { EXPECT_TRUE(Apply(TapConfig({"tap0"})).ok()); });
  while (dataplane_.applies() == 0) std::this_thread::yield();
  v1::ListPortsResponse ports;
  EXPECT_TRUE(ListPorts(ports).ok());
  EXPECT_TRUE(GetStatus().dataplane_connected());
  v1::GetStatsResponse stats;
  grpc::ClientContext context;
  EXPECT_TRUE(client_.stats().GetStats(&context, {}, &stats).ok());
  dataplane_.ReleaseApplies();
  slow.join();
}

TEST_F(GatewayServiceTest, TheCallersDeadlineHoldsForTheDataPlaneToo) {
  dataplane_.HoldApplies();
  v1::ApplyRequest request;
  *request.mutable_config() = TapConfig({"tap0"});
  // The second comes through to the data plane although the first still hangs there.
  for (int i = 0; i < 2; ++i) {
    v1::ApplyResponse response;
    grpc::ClientContext context;
    context.set_deadline(Within(std::chrono::milliseconds(500)));
    EXPECT_EQ(client_.gateway().Apply(&context, request, &response).error_code(),
              StatusCode::DEADLINE_EXCEEDED);
  }
  EXPECT_EQ(dataplane_.applies(), 2);
}

}  // namespace
}  // namespace wakegate
