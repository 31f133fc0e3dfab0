#include "gateway/ctl/session.h"

#include <chrono>
#include <cstddef>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "gateway/config/text.h"

namespace wakegate {
namespace {

constexpr char kProgram[] = "wakegatectl: ";

// What a person can do about an answer of the gateway; empty where its text says all.
const char* HintFor(grpc::StatusCode code) {
  switch (code) {
    case grpc::StatusCode::ABORTED:
      return "`wakegatectl get config` shows the current one, with its generation.";
    case grpc::StatusCode::UNAVAILABLE:
      return "wakegate-mgmt answers; `wakegatectl get status` tells what it knows.";
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      return "Give it longer with --timeout; `wakegatectl get status` shows what it did.";
    case grpc::StatusCode::UNIMPLEMENTED:
      return "The gateway does not know this call: use a wakegatectl of its version.";
    default:
      return "";
  }
}

// "No such file or directory" of gRPC's "failed to connect to all addresses; last error: UNKNOWN:
// unix:/run/x.sock: No such file or directory".
std::string LastReason(absl::string_view text, const std::string& address) {
  constexpr absl::string_view kLastError = "last error: ";
  const std::size_t last = text.rfind(kLastError);
  if (last != absl::string_view::npos) text.remove_prefix(last + kLastError.size());
  absl::ConsumePrefix(&text, "UNKNOWN: ");
  absl::ConsumePrefix(&text, absl::StrCat(address, ": "));
  return std::string(text);
}

}  // namespace

Session::Session(const Console& console, const SessionOptions& options)
    : console_(console), options_(options) {}

Client& Session::client() {
  if (client_ == nullptr) client_ = std::make_unique<Client>(options_.address);
  return *client_;
}

grpc::Status Session::Call(const std::function<grpc::Status(grpc::ClientContext*)>& call) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() +
                       absl::ToChronoMicroseconds(options_.timeout));
  return call(&context);
}

bool Session::PrintMessage(const google::protobuf::Message& message) {
  if (options_.format == Format::kTable) return false;
  console_.out << (options_.format == Format::kJson ? ToJson(message) : ToYaml(message));
  return true;
}

ExitCode Session::Fail(const grpc::Status& status) {
  if (!client().IsConnected()) return FailUnreachable(status);
  const absl::Status refusal = ToAbslStatus(status);
  console_.err << kProgram << absl::StatusCodeToString(refusal.code()) << ": "
               << status.error_message() << "\n";
  if (const char* hint = HintFor(status.error_code()); *hint != '\0') {
    console_.err << hint << "\n";
  }
  return kRefused;
}

ExitCode Session::FailUnreachable(const grpc::Status& status) {
  const std::string reason = LastReason(status.error_message(), options_.address);
  console_.err << kProgram << "cannot reach the gateway at " << options_.address << ": " << reason
               << "\n"
               << (absl::StrContains(reason, "Permission denied")
                       ? "Its socket is for root and the gateway's group: try sudo.\n"
                       : "Start it with `wakegate`, or name its address with --address or "
                         "WAKEGATE_ADDRESS.\n");
  return kUnreachable;
}

ExitCode Session::FailUsage(const absl::Status& status) {
  console_.err << kProgram << status.message() << "\n";
  return kUsage;
}

}  // namespace wakegate
