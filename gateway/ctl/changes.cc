#include "gateway/ctl/changes.h"

#include "absl/strings/str_cat.h"

namespace wakegate {
namespace {

std::string WithDescription(const std::string& object, const std::string& description) {
  return description.empty() ? object : absl::StrCat(object, ": ", description);
}

std::string FormatChange(const v1::Change& change) {
  switch (change.action()) {
    case v1::Change::ACTION_ADD:
      return absl::StrCat("+ ", WithDescription(change.object(), change.new_value()));
    case v1::Change::ACTION_REMOVE:
      return absl::StrCat("- ", WithDescription(change.object(), change.old_value()));
    default:
      return absl::StrCat("~ ", change.object(), ": ", change.field(), " ", change.old_value(),
                          " -> ", change.new_value(),
                          change.recreates_port() ? " (re-creates the port)" : "");
  }
}

}  // namespace

std::string FormatChanges(const google::protobuf::RepeatedPtrField<v1::Change>& changes) {
  std::string text;
  for (const v1::Change& change : changes) absl::StrAppend(&text, FormatChange(change), "\n");
  return text;
}

}  // namespace wakegate
