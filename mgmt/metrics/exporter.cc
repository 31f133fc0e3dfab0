#include "mgmt/metrics/exporter.h"

#include <chrono>
#include <exception>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace wakegate {
namespace {

// civetweb's options. A scraper that asks and does not read holds one of the threads for at most
// this time; the rest serve the others.
const char* const kThreads = "4";
const char* const kRequestTimeoutMilliseconds = "5000";

}  // namespace

Exporter::Exporter(ViewSource view, const ListenAddress& address,
                   std::unique_ptr<prometheus::Exposer> exposer)
    : address_(address),
      collector_(std::make_shared<Collector>(std::move(view))),
      exposer_(std::move(exposer)) {
  exposer_->RegisterCollectable(collector_);
}

Exporter::~Exporter() {
  // civetweb's accepting thread looks every 2 s whether to stop (SOCKET_TIMEOUT_QUANTUM in
  // civetweb.c), and at each connection.
  const std::jthread nudge([address = address_.WithPort(port())](const std::stop_token& stopped) {
    while (!stopped.stop_requested()) {
      address.Nudge();
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  });
  exposer_.reset();
}

absl::StatusOr<std::unique_ptr<Exporter>> Exporter::Start(ViewSource view,
                                                          const ListenAddress& address) {
  if (absl::Status status = address.CheckFree("--metrics-listen"); !status.ok()) return status;
  const std::vector<std::string> options = {"listening_ports",    address.text(),
                                            "num_threads",        kThreads,
                                            "request_timeout_ms", kRequestTimeoutMilliseconds};
  try {
    return std::unique_ptr<Exporter>(
        new Exporter(std::move(view), address, std::make_unique<prometheus::Exposer>(options)));
  } catch (const std::exception& exception) {  // Prometheus' library reports no other way.
    return absl::UnavailableError(
        absl::StrCat("listen on ", address.text(), " (--metrics-listen): ", exception.what()));
  }
}

}  // namespace wakegate
