#include "gateway/state/state_file.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "gateway/config/text.h"
#include "gateway/config/validate.h"
#include "google/protobuf/util/json_util.h"

namespace wakegate {
namespace {

constexpr size_t kMostQuoted = 200;

absl::Status ParseJson(const std::string& text, bool ignore_unknown_fields,
                       internal::v1::StoredState& state) {
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = ignore_unknown_fields;
  const auto status = google::protobuf::util::JsonStringToMessage(text, &state, options);
  if (status.ok()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("not what Wakegate writes: ",
                   // It quotes the file, whatever bytes that has.
                   absl::CHexEscape(std::string(status.message()).substr(0, kMostQuoted))));
}

absl::StatusOr<internal::v1::StoredState> Parse(const std::string& text) {
  // First only the format: a newer one may have fields that are unknown here.
  internal::v1::StoredState state;
  if (absl::Status status = ParseJson(text, true, state); !status.ok()) return status;
  if (state.format() != StateFile::kFormat) {
    return absl::InvalidArgumentError(absl::StrCat(
        "of format ", state.format(), ", this version knows format ", StateFile::kFormat));
  }
  state.Clear();
  if (absl::Status status = ParseJson(text, false, state); !status.ok()) return status;
  if (absl::Status status = Validate(state.config()); !status.ok()) return status;
  return state;
}

}  // namespace

absl::StatusOr<StateFile::Loaded> StateFile::Load() {
  const absl::StatusOr<std::string> text = file_.Read();
  if (absl::IsNotFound(text.status())) return Loaded{};
  if (!text.ok()) return text.status();
  absl::StatusOr<internal::v1::StoredState> state = Parse(*text);
  if (state.ok()) return Loaded{.state = *std::move(state), .problem = {}};
  const absl::StatusOr<std::string> aside = file_.PutAside();
  if (!aside.ok()) return aside.status();
  return Loaded{
      .state = {},
      .problem = absl::StrCat("the stored configuration could not be used (",
                              state.status().message(), "); it was put aside as ", *aside)};
}

absl::Status StateFile::Prepare(const internal::v1::StoredState& state) {
  internal::v1::StoredState stored = state;
  stored.set_format(kFormat);
  return file_.Prepare(ToJson(stored));
}

absl::Status StateFile::Commit() { return file_.Commit(); }

}  // namespace wakegate
