// YAML, walked along the reflection of the message that it fills.
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "gateway/config/quote.h"
#include "gateway/config/scalar.h"
#include "gateway/config/text.h"
#include "google/protobuf/descriptor.h"
#include "yaml-cpp/depthguard.h"
#include "yaml-cpp/yaml.h"

namespace wakegate {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::OneofDescriptor;

// yaml-cpp bounds the depth of what is written out (500); aliases can make a node its own child.
constexpr int kMaxDepth = 64;

std::vector<std::string> FieldNames(const Descriptor& type) {
  std::vector<std::string> names;
  for (int i = 0; i < type.field_count(); ++i) names.push_back(type.field(i)->name());
  return names;
}

const char* ShapeName(const YAML::Node& node) {
  switch (node.Type()) {
    case YAML::NodeType::Map:
      return "a map";
    case YAML::NodeType::Sequence:
      return "a list";
    case YAML::NodeType::Scalar:
      return "a single value";
    default:
      return "nothing";
  }
}

class Walker {
 public:
  explicit Walker(std::string_view source) : source_(source) {}

  // `path` leads to the message and is empty at the top.
  absl::Status FillMessage(const YAML::Node& node, const std::string& path, int depth,
                           Message& message);

  absl::Status Error(const YAML::Mark& mark, const std::string& text) const {
    return absl::InvalidArgumentError(absl::StrCat(source_, ":", mark.line + 1, ": ", text));
  }

 private:
  absl::StatusOr<const FieldDescriptor*> FindField(const YAML::Node& key, const Descriptor& type,
                                                   const std::string& path) const;
  absl::Status FillField(const YAML::Node& node, const FieldDescriptor& field,
                         const std::string& path, int depth, Message& message);
  absl::Status FillList(const YAML::Node& node, const FieldDescriptor& field,
                        const std::string& path, int depth, Message& message);
  absl::Status FillMap(const YAML::Node& node, const FieldDescriptor& field,
                       const std::string& path, int depth, Message& message);
  absl::Status FillScalar(const YAML::Node& node, const FieldDescriptor& field,
                          const std::string& path, Message& message);

  // Each node is charged each time an alias brings it in, so that a small text cannot stand for
  // a huge configuration.
  absl::Status Charge(const YAML::Node& node, std::size_t bytes);

  std::string source_;
  std::size_t charged_bytes_ = 0;
};

absl::Status Walker::Charge(const YAML::Node& node, std::size_t bytes) {
  charged_bytes_ += bytes + 1;
  if (charged_bytes_ <= kMaxTextBytes) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat(source_, ":", node.Mark().line + 1,
                   ": with its aliases written out the text has more than 4 MiB"));
}

absl::Status Walker::FillMessage(const YAML::Node& node, const std::string& path, int depth,
                                 Message& message) {
  const Descriptor& type = *message.GetDescriptor();
  if (node.IsNull()) return Charge(node, 0);
  if (depth > kMaxDepth) return Error(node.Mark(), absl::StrCat(path, ": nested too deeply"));
  if (!node.IsMap()) {
    return Error(node.Mark(), absl::StrCat(path, path.empty() ? "" : ": ", "expected fields of ",
                                           type.name(), ", found ", ShapeName(node)));
  }
  absl::flat_hash_set<const FieldDescriptor*> seen;
  absl::flat_hash_map<const OneofDescriptor*, const FieldDescriptor*> chosen;
  for (const auto& entry : node) {
    const absl::StatusOr<const FieldDescriptor*> field = FindField(entry.first, type, path);
    if (!field.ok()) return field.status();
    const std::string field_path = absl::StrCat(path, path.empty() ? "" : ".", (*field)->name());
    if (!seen.insert(*field).second) {
      return Error(entry.first.Mark(), absl::StrCat(field_path, " is given twice"));
    }
    if (const OneofDescriptor* oneof = (*field)->real_containing_oneof(); oneof != nullptr) {
      const auto [other, is_first] = chosen.try_emplace(oneof, *field);
      if (!is_first) {
        return Error(entry.first.Mark(), absl::StrCat(path, ": ", other->second->name(), " and ",
                                                      (*field)->name(), " exclude each other"));
      }
    }
    const absl::Status status = FillField(entry.second, **field, field_path, depth, message);
    if (!status.ok()) return status;
  }
  return Charge(node, 0);
}

absl::StatusOr<const FieldDescriptor*> Walker::FindField(const YAML::Node& key,
                                                         const Descriptor& type,
                                                         const std::string& path) const {
  const std::string at = path.empty() ? "" : path + ": ";
  if (!key.IsScalar()) {
    return Error(key.Mark(), absl::StrCat(at, "expected the name of a field of ", type.name(),
                                          ", found ", ShapeName(key)));
  }
  const FieldDescriptor* field = type.FindFieldByName(key.Scalar());
  if (field != nullptr) return field;
  return Error(key.Mark(), absl::StrCat(at, "unknown field ", Quoted(key.Scalar()), " in ",
                                        type.name(), SuggestName(key.Scalar(), FieldNames(type))));
}

absl::Status Walker::FillField(const YAML::Node& node, const FieldDescriptor& field,
                               const std::string& path, int depth, Message& message) {
  if (field.is_map()) return FillMap(node, field, path, depth, message);
  if (field.is_repeated()) return FillList(node, field, path, depth, message);
  if (IsScalar(field)) return FillScalar(node, field, path, message);
  return FillMessage(node, path, depth + 1,
                     *message.GetReflection()->MutableMessage(&message, &field));
}

absl::Status Walker::FillList(const YAML::Node& node, const FieldDescriptor& field,
                              const std::string& path, int depth, Message& message) {
  if (node.IsNull()) return Charge(node, 0);
  if (!node.IsSequence()) {
    return Error(node.Mark(), absl::StrCat(path, ": expected a list, found ", ShapeName(node)));
  }
  int index = 0;
  for (const YAML::Node& item : node) {
    const std::string item_path = absl::StrCat(path, "[", index++, "]");
    const absl::Status status =
        IsScalar(field) ? FillScalar(item, field, item_path, message)
                        : FillMessage(item, item_path, depth + 1,
                                      *message.GetReflection()->AddMessage(&message, &field));
    if (!status.ok()) return status;
  }
  return Charge(node, 0);
}

// In reflection a map is a list of messages with a field `key` and a field `value`.
absl::Status Walker::FillMap(const YAML::Node& node, const FieldDescriptor& field,
                             const std::string& path, int depth, Message& message) {
  if (node.IsNull()) return Charge(node, 0);
  if (!node.IsMap()) {
    return Error(node.Mark(), absl::StrCat(path, ": expected a map, found ", ShapeName(node)));
  }
  absl::flat_hash_set<std::string> seen;
  for (const auto& item : node) {
    const YAML::Node& key = item.first;
    const std::string item_path =
        absl::StrCat(path, "[", key.IsScalar() ? Quoted(key.Scalar()) : ShapeName(key), "]");
    Message& entry = *message.GetReflection()->AddMessage(&message, &field);
    absl::Status status = FillScalar(key, *field.message_type()->map_key(), item_path, entry);
    if (!status.ok()) return status;
    if (!seen.insert(key.Scalar()).second) {
      return Error(key.Mark(), absl::StrCat(item_path, " is given twice"));
    }
    status = FillField(item.second, *field.message_type()->map_value(), item_path, depth, entry);
    if (!status.ok()) return status;
  }
  return Charge(node, 0);
}

absl::Status Walker::FillScalar(const YAML::Node& node, const FieldDescriptor& field,
                                const std::string& path, Message& message) {
  if (!node.IsScalar()) {
    return Error(node.Mark(), absl::StrCat(path, ": expected a value, found ", ShapeName(node)));
  }
  absl::Status status = Charge(node, node.Scalar().size());
  if (!status.ok()) return status;
  status = SetScalar(node.Scalar(), field, message);
  if (status.ok()) return status;
  return Error(node.Mark(), absl::StrCat(path, ": ", status.message()));
}

// What a text may be that has no document, or one with nothing in it.
enum class EmptyText { kEmptyMessage, kError };

absl::Status Parse(std::string_view text, std::string_view source, EmptyText empty,
                   Message& message) {
  Walker walker(source);
  if (text.size() > kMaxTextBytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat(std::string(source), ": more than the 4 MiB that a text may have"));
  }
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAll(std::string(text));
    if (documents.size() > 1) {
      return walker.Error(documents[1].Mark(),
                          absl::StrCat("expected one YAML document, found ", documents.size(),
                                       " (separated by \"---\")"));
    }
    if (!documents.empty() && !documents[0].IsNull()) {
      return walker.FillMessage(documents[0], "", 0, message);
    }
  } catch (const YAML::DeepRecursion& error) {
    return walker.Error(error.mark, "nested too deeply");
  } catch (const YAML::Exception& error) {
    return walker.Error(error.mark, absl::StrCat("not YAML: ", error.msg));
  }
  if (empty == EmptyText::kEmptyMessage) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(std::string(source), ": is empty; to remove everything, say `ports: []`"));
}

}  // namespace

absl::Status ParseMessage(std::string_view text, std::string_view source, Message& message) {
  return Parse(text, source, EmptyText::kEmptyMessage, message);
}

absl::StatusOr<v1::GatewayConfig> ParseConfig(std::string_view text, std::string_view source) {
  v1::GatewayConfig config;
  absl::Status status = Parse(text, source, EmptyText::kError, config);
  if (!status.ok()) return status;
  return config;
}

}  // namespace wakegate
