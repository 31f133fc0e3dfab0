#include "gateway/ctl/config_sender.h"

#include <cerrno>
#include <fstream>
#include <istream>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gateway/config/text.h"

namespace wakegate {
namespace {

absl::StatusOr<v1::GatewayConfig> ReadConfig(std::istream& in, const std::string& source) {
  std::string text(kMaxTextBytes + 1, '\0');  // One more than ParseConfig takes.
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad()) return absl::ErrnoToStatus(errno, absl::StrCat("read ", source));
  text.resize(in.gcount());
  return ParseConfig(text, source);
}

absl::StatusOr<v1::GatewayConfig> ReadConfigFile(const std::string& path, std::istream& in) {
  if (path == "-") return ReadConfig(in, "<stdin>");
  std::ifstream file(path);
  if (!file) return absl::ErrnoToStatus(errno, absl::StrCat("open ", path));
  return ReadConfig(file, path);
}

}  // namespace

ExitCode SendConfig(const ApplyOptions& options, Session& session, v1::ApplyResponse& response) {
  absl::StatusOr<v1::GatewayConfig> config = ReadConfigFile(options.file, session.console().in);
  if (!config.ok()) return session.FailUsage(config.status());
  v1::ApplyRequest request;
  *request.mutable_config() = *std::move(config);
  request.set_dry_run(options.dry_run);
  if (options.expected_generation.has_value()) {
    request.set_expected_generation(*options.expected_generation);
  }
  const grpc::Status status = session.Call([&](grpc::ClientContext* context) {
    return session.client().gateway().Apply(context, request, &response);
  });
  return status.ok() ? kSuccess : session.Fail(status);
}

}  // namespace wakegate
