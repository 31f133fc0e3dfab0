#include "dataplane/ports/af_xdp/found_deferral.h"

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <fstream>
#include <sstream>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

namespace wakegate {
namespace {

std::string KernelRun() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  file >> id;
  return id;
}

std::optional<AtomicFile> FileOf(const std::string& run_dir, uint32_t napi) {
  if (run_dir.empty() || napi == 0) return std::nullopt;
  return AtomicFile(absl::StrCat(run_dir, "/napi-", napi));
}

}  // namespace

FoundDeferral::FoundDeferral(const std::string& run_dir, const Napi& napi)
    : file_(FileOf(run_dir, napi.id)), value_(ReadKept().value_or(napi.deferral)) {}

absl::Status FoundDeferral::Keep() const {
  if (!file_) return absl::OkStatus();
  return file_->Write(
      absl::StrCat(KernelRun(), " ", value_.hard_irqs, " ", value_.flush_timeout.count(), "\n"));
}

void FoundDeferral::Forget() const {
  if (file_) unlink(file_->path().c_str());
}

std::optional<NapiDeferral> FoundDeferral::ReadKept() const {
  if (!file_) return std::nullopt;
  const absl::StatusOr<std::string> content = file_->Read();
  if (!content.ok()) return std::nullopt;
  std::istringstream stream(*content);
  std::string kernel_run;
  int64_t nanoseconds = 0;
  NapiDeferral kept;
  if (!(stream >> kernel_run >> kept.hard_irqs >> nanoseconds)) return std::nullopt;
  if (kernel_run != KernelRun()) return std::nullopt;
  kept.flush_timeout = std::chrono::nanoseconds(nanoseconds);
  return kept;
}

}  // namespace wakegate
