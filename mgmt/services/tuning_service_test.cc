#include "mgmt/services/tuning_service.h"

#include <string>

#include "gateway/knobs/knobs.h"
#include "mgmt/services/serving_test.h"

namespace wakegate {
namespace {

class TuningServiceTest : public ServingTest {
 protected:
  grpc::Status List(const std::string& knob, const std::string& port,
                    v1::ListKnobsResponse& response) {
    v1::ListKnobsRequest request;
    request.set_knob(knob);
    request.set_port(port);
    grpc::ClientContext context;
    return client_.tuning().ListKnobs(&context, request, &response);
  }
  grpc::Status Set(const std::string& port, const std::string& value) {
    v1::SetKnobRequest request;
    request.set_knob("burst_size");
    request.set_port(port);
    request.set_value(value);
    v1::SetKnobResponse response;
    grpc::ClientContext context;
    return client_.tuning().SetKnob(&context, request, &response);
  }
};

TEST_F(TuningServiceTest, KnobsAreListedWithTheirValuesAndSetOneByOne) {
  v1::GatewayConfig config = TapConfig({"tap0", "tap1"});
  config.mutable_ports(1)->mutable_tap()->set_queues(2);
  ASSERT_TRUE(Apply(config).ok());
  ASSERT_TRUE(Set("tap1", "8").ok());

  v1::ListKnobsResponse response;
  ASSERT_TRUE(List("burst_size", "", response).ok());
  ASSERT_EQ(response.knobs_size(), 1);
  const v1::Knob& knob = response.knobs(0);
  EXPECT_EQ(knob.name(), "burst_size");
  EXPECT_FALSE(knob.help().empty());
  ASSERT_EQ(knob.values_size(), 3);
  EXPECT_EQ(knob.values(0).port(), "tap0");
  EXPECT_TRUE(knob.values(0).is_default());
  EXPECT_EQ(knob.values(2).port(), "tap1");
  EXPECT_EQ(knob.values(2).queue(), 1U);
  EXPECT_EQ(knob.values(2).value(), "8");
  EXPECT_FALSE(knob.values(2).is_default());

  ASSERT_TRUE(List("", "tap0", response).ok());
  EXPECT_EQ(response.knobs(0).values_size(), 1);
}

TEST_F(TuningServiceTest, KnobsOfWorkersHaveAValueForEach) {
  ASSERT_TRUE(Apply(TapConfig({"tap0"})).ok());
  v1::SetKnobRequest set;
  set.set_knob("idle_policy");
  set.set_worker(1);
  set.set_value("poll");
  v1::SetKnobResponse ignored;
  grpc::ClientContext context;
  ASSERT_TRUE(client_.tuning().SetKnob(&context, set, &ignored).ok());

  v1::ListKnobsResponse response;
  ASSERT_TRUE(List("idle_policy", "", response).ok());
  const v1::Knob& knob = response.knobs(0);
  ASSERT_EQ(knob.values_size(), static_cast<int>(FakeDataplane::kWorkers));
  EXPECT_EQ(knob.values(0).value(), "adaptive");
  EXPECT_TRUE(knob.values(0).is_default());
  EXPECT_EQ(knob.values(1).worker(), 1U);
  EXPECT_EQ(knob.values(1).value(), "poll");
  EXPECT_FALSE(knob.values(1).has_queue());
  EXPECT_EQ(knob.values(1).port(), "");

  ASSERT_TRUE(List("", "tap0", response).ok());
  for (const v1::Knob& of_port : response.knobs()) {
    EXPECT_EQ(of_port.values_size(), IsForPortKind(of_port, "tap") ? 1 : 0) << of_port.name();
  }
  v1::ListKnobsRequest of_worker;
  of_worker.set_worker(0);
  grpc::ClientContext list_context;
  ASSERT_TRUE(client_.tuning().ListKnobs(&list_context, of_worker, &response).ok());
  for (const v1::Knob& listed : response.knobs()) {
    EXPECT_EQ(listed.values_size(), listed.scope() == v1::Knob::SCOPE_WORKER ? 1 : 0);
  }
}

TEST_F(TuningServiceTest, KnobsOfOnePortKindHaveNoValueOnOthers) {
  v1::GatewayConfig config = TapConfig({"tap0"});
  v1::Port& memory = *config.add_ports();
  memory.set_name("memory0");
  memory.mutable_memory()->set_cable("c");
  ASSERT_TRUE(Apply(config).ok());
  v1::ListKnobsResponse response;
  ASSERT_TRUE(List("rx_trigger", "", response).ok());
  ASSERT_EQ(response.knobs(0).values_size(), 1);
  EXPECT_EQ(response.knobs(0).values(0).port(), "tap0");
}

TEST_F(TuningServiceTest, WorkersThatTheDataPlaneDoesNotHaveAreRefused) {
  v1::GatewayConfig config = TapConfig({"tap0"});
  v1::KnobSetting& setting = *config.add_knobs();
  setting.set_knob("idle_policy");
  setting.set_worker(FakeDataplane::kWorkers);
  setting.set_value("poll");
  const grpc::Status status = Apply(config);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(status.error_message(), "knobs[0].worker: 2, but the data plane has workers 0 to 1");
}

TEST_F(TuningServiceTest, WhatThereIsNotIsNotFound) {
  ASSERT_TRUE(Apply(TapConfig({"tap0"})).ok());
  v1::ListKnobsResponse response;
  EXPECT_EQ(List("burst_sise", "", response).error_message(),
            "knob: no knob \"burst_sise\"; did you mean \"burst_size\"?");
  EXPECT_EQ(List("", "tap9", response).error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(Set("tap9", "8").error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(Set("tap0", "0").error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

}  // namespace
}  // namespace wakegate
