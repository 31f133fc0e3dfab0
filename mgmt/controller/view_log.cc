#include "mgmt/controller/view_log.h"

#include "spdlog/spdlog.h"

namespace wakegate {
namespace {

void LogConnection(const View& before, const View& after) {
  if (!after.connection.ok()) {
    if (before.connection != after.connection) {
      spdlog::warn("{}", std::string(after.connection.message()));
    }
    return;
  }
  const v1::DataplaneStatus& status = after.dataplane.status();
  if (!before.connection.ok() || before.dataplane.status().boot_id() != status.boot_id()) {
    spdlog::info("the data plane answers: version {}, pid {}, boot id {}", status.version(),
                 status.pid(), status.boot_id());
  }
}

void LogSync(const View& before, const View& after) {
  if (!after.connection.ok()) return;
  if (after.sync.ok()) {
    if (!before.in_sync() || before.desired.generation() != after.desired.generation()) {
      spdlog::info("the data plane runs generation {}", after.desired.generation());
    }
  } else if (before.sync != after.sync) {
    spdlog::error("the data plane does not run generation {}: {}", after.desired.generation(),
                  after.sync.ToString());
  }
}

void LogLedger(const View& before, const View& after) {
  if (!after.connection.ok() || after.ledger.ok()) return;
  if (before.ledger.status() != after.ledger.status()) {
    spdlog::error("there are no counters: {}", after.ledger.status().ToString());
  }
}

}  // namespace

void LogTransition(const View& before, const View& after) {
  LogConnection(before, after);
  LogSync(before, after);
  LogLedger(before, after);
}

}  // namespace wakegate
