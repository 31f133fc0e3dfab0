// Messages to YAML and JSON, by way of a tree that both are printed from.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "gateway/config/scalar.h"
#include "gateway/config/text.h"
#include "google/protobuf/descriptor.h"

namespace wakegate {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

struct Field;

struct Value {
  enum class Kind { kText, kNumber, kFields, kList };
  Kind kind = Kind::kFields;
  std::string text;           // kText, kNumber (also true and false)
  std::vector<Field> fields;  // kFields
  std::vector<Value> items;   // kList
};

// clang 14 cannot have a std::pair with a Value in it within Value.
struct Field {
  std::string name;
  Value value;
};

Value MessageValue(const Message& message);

Value ScalarValue(const Message& message, const FieldDescriptor& field, int index) {
  Value value;
  value.kind = IsText(field) ? Value::Kind::kText : Value::Kind::kNumber;
  value.text = ScalarText(message, field, index);
  return value;
}

Value SingularValue(const Message& message, const FieldDescriptor& field) {
  return IsScalar(field) ? ScalarValue(message, field, 0)
                         : MessageValue(message.GetReflection()->GetMessage(message, &field));
}

Value MapValue(const Message& message, const FieldDescriptor& field) {
  const Reflection& reflection = *message.GetReflection();
  Value map;
  for (int i = 0; i < reflection.FieldSize(message, &field); ++i) {
    const Message& entry = reflection.GetRepeatedMessage(message, &field, i);
    map.fields.push_back({ScalarText(entry, *field.message_type()->map_key()),
                          SingularValue(entry, *field.message_type()->map_value())});
  }
  std::sort(map.fields.begin(), map.fields.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return map;
}

Value ListValue(const Message& message, const FieldDescriptor& field) {
  const Reflection& reflection = *message.GetReflection();
  Value list;
  list.kind = Value::Kind::kList;
  for (int i = 0; i < reflection.FieldSize(message, &field); ++i) {
    list.items.push_back(IsScalar(field)
                             ? ScalarValue(message, field, i)
                             : MessageValue(reflection.GetRepeatedMessage(message, &field, i)));
  }
  return list;
}

Value MessageValue(const Message& message) {
  const Reflection& reflection = *message.GetReflection();
  Value value;
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor& field = *message.GetDescriptor()->field(i);
    if (field.is_repeated()) {
      if (reflection.FieldSize(message, &field) == 0) continue;
      value.fields.push_back(
          {field.name(), field.is_map() ? MapValue(message, field) : ListValue(message, field)});
    } else if (reflection.HasField(message, &field)) {
      value.fields.push_back({field.name(), SingularValue(message, field)});
    }
  }
  return value;
}

// RFC 8259, section 7. YAML's double-quoted style understands it too.
std::string JsonString(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      absl::StrAppend(&quoted, "\\", std::string(1, c));
    } else if (c == '\n') {
      quoted += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      absl::StrAppendFormat(&quoted, "\\u%04x", c);
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

// Whether YAML takes the text for text without quotes, in any of its versions.
bool IsPlain(const std::string& text) {
  if (text.empty() || !absl::ascii_isalpha(text[0])) return false;
  for (const char c : text) {
    if (!absl::ascii_isalnum(c) && c != '_' && c != '-' && c != '.' && c != '/') return false;
  }
  static constexpr const char* kReserved[] = {"y",   "n",    "yes",   "no",  "on",
                                              "off", "true", "false", "null"};
  const std::string lower = absl::AsciiStrToLower(text);
  return std::none_of(std::begin(kReserved), std::end(kReserved),
                      [&](const char* word) { return lower == word; });
}

std::string YamlText(const std::string& text) { return IsPlain(text) ? text : JsonString(text); }

void AppendYamlFields(const Value& value, int indent, std::string& out);

// What follows a key and its colon.
void AppendYamlValue(const Value& value, int indent, std::string& out) {
  switch (value.kind) {
    case Value::Kind::kText:
      absl::StrAppend(&out, " ", YamlText(value.text), "\n");
      break;
    case Value::Kind::kNumber:
      absl::StrAppend(&out, " ", value.text, "\n");
      break;
    case Value::Kind::kFields:
      out += value.fields.empty() ? " {}\n" : "\n";
      AppendYamlFields(value, indent + 2, out);
      break;
    case Value::Kind::kList:
      out += "\n";
      for (const Value& item : value.items) {
        const std::size_t begin = out.size();
        if (item.kind == Value::Kind::kFields && !item.fields.empty()) {
          AppendYamlFields(item, indent + 4, out);
          out[begin + indent + 2] = '-';  // In place of a space before the first field.
        } else {
          absl::StrAppend(&out, std::string(indent + 2, ' '), "-");
          AppendYamlValue(item, indent + 2, out);
        }
      }
  }
}

void AppendYamlFields(const Value& value, int indent, std::string& out) {
  for (const auto& [name, field] : value.fields) {
    absl::StrAppend(&out, std::string(indent, ' '), YamlText(name), ":");
    AppendYamlValue(field, indent, out);
  }
}

void AppendJson(const Value& value, int indent, std::string& out) {
  const std::string inner = absl::StrCat("\n", std::string(indent + 2, ' '));
  const std::string outer = absl::StrCat("\n", std::string(indent, ' '));
  const char* separator = "";
  switch (value.kind) {
    case Value::Kind::kText:
      out += JsonString(value.text);
      break;
    case Value::Kind::kNumber:
      out += value.text;
      break;
    case Value::Kind::kFields:
      if (value.fields.empty()) {
        out += "{}";
        break;
      }
      out += "{";
      for (const auto& [name, field] : value.fields) {
        absl::StrAppend(&out, separator, inner, JsonString(name), ": ");
        AppendJson(field, indent + 2, out);
        separator = ",";
      }
      absl::StrAppend(&out, outer, "}");
      break;
    case Value::Kind::kList:
      out += "[";
      for (const Value& item : value.items) {
        absl::StrAppend(&out, separator, inner);
        AppendJson(item, indent + 2, out);
        separator = ",";
      }
      absl::StrAppend(&out, outer, "]");
  }
}

}  // namespace

std::string ToYaml(const Message& message) {
  const Value value = MessageValue(message);
  if (value.fields.empty()) return "{}\n";
  std::string out;
  AppendYamlFields(value, 0, out);
  return out;
}

std::string ToJson(const Message& message) {
  std::string out;
  AppendJson(MessageValue(message), 0, out);
  return out + "\n";
}

}  // namespace wakegate
