#include "gateway/config/scalar.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "gateway/config/quote.h"
#include "gateway/config/utf8.h"
#include "google/protobuf/duration.pb.h"
#include "google/protobuf/text_format.h"
#include "google/protobuf/timestamp.pb.h"

namespace wakegate {
namespace {

using google::protobuf::Duration;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using google::protobuf::Timestamp;

template <class T>
bool Is(const FieldDescriptor& field) {
  return field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE &&
         field.message_type() == T::descriptor();
}

absl::Status NotA(std::string_view text, std::string_view expected) {
  return absl::InvalidArgumentError(absl::StrCat(Quoted(text), " is not ", std::string(expected)));
}

// Calls Set<Type> or Add<Type> of the message's reflection.
template <class T>
void Store(T value, const FieldDescriptor& field, Message& message,
           void (Reflection::*set)(Message*, const FieldDescriptor*, T) const,
           void (Reflection::*add)(Message*, const FieldDescriptor*, T) const) {
  (message.GetReflection()->*(field.is_repeated() ? add : set))(&message, &field, value);
}

template <class T>
absl::Status SetInteger(absl::string_view text, const FieldDescriptor& field, Message& message,
                        void (Reflection::*set)(Message*, const FieldDescriptor*, T) const,
                        void (Reflection::*add)(Message*, const FieldDescriptor*, T) const) {
  T value = 0;
  if (!absl::SimpleAtoi(text, &value)) {
    return NotA({text.data(), text.size()},
                absl::StrCat("a whole number from ", std::numeric_limits<T>::min(), " to ",
                             std::numeric_limits<T>::max()));
  }
  Store(value, field, message, set, add);
  return absl::OkStatus();
}

absl::Status SetDouble(absl::string_view text, const FieldDescriptor& field, Message& message) {
  double value = 0;
  if (!absl::SimpleAtod(text, &value)) return NotA({text.data(), text.size()}, "a number");
  if (field.cpp_type() == FieldDescriptor::CPPTYPE_FLOAT) {
    Store(static_cast<float>(value), field, message, &Reflection::SetFloat, &Reflection::AddFloat);
  } else {
    Store(value, field, message, &Reflection::SetDouble, &Reflection::AddDouble);
  }
  return absl::OkStatus();
}

absl::Status SetBool(std::string_view text, const FieldDescriptor& field, Message& message) {
  // Those of YAML 1.2's core schema; "yes" and "on" are text there.
  const bool is_true = text == "true" || text == "True" || text == "TRUE";
  const bool is_false = text == "false" || text == "False" || text == "FALSE";
  if (!is_true && !is_false) return NotA(text, "true or false");
  Store(is_true, field, message, &Reflection::SetBool, &Reflection::AddBool);
  return absl::OkStatus();
}

absl::Status SetEnum(std::string_view text, const FieldDescriptor& field, Message& message) {
  const auto* value = field.enum_type()->FindValueByName(std::string(text));
  if (value == nullptr) {
    std::vector<std::string> known;
    for (int i = 0; i < field.enum_type()->value_count(); ++i) {
      known.push_back(field.enum_type()->value(i)->name());
    }
    return NotA(text, absl::StrCat("a ", field.enum_type()->name(), SuggestName(text, known)));
  }
  Store(value, field, message, &Reflection::SetEnum, &Reflection::AddEnum);
  return absl::OkStatus();
}

absl::Status SetString(std::string_view text, const FieldDescriptor& field, Message& message) {
  if (field.type() == FieldDescriptor::TYPE_STRING && !IsUtf8(text)) {
    return NotA(text, "UTF-8");
  }
  Store(std::string(text), field, message, &Reflection::SetString, &Reflection::AddString);
  return absl::OkStatus();
}

Message& NewMessage(const FieldDescriptor& field, Message& message) {
  const Reflection& reflection = *message.GetReflection();
  return field.is_repeated() ? *reflection.AddMessage(&message, &field)
                             : *reflection.MutableMessage(&message, &field);
}

absl::Status SetTime(absl::string_view text, const FieldDescriptor& field, Message& message) {
  absl::Duration time;
  if (Is<Duration>(field)) {
    if (!absl::ParseDuration(text, &time) || time == absl::InfiniteDuration() ||
        time == -absl::InfiniteDuration()) {
      return NotA({text.data(), text.size()}, "a time such as \"1.5s\" or \"200us\"");
    }
    Duration duration;
    duration.set_seconds(absl::IDivDuration(time, absl::Seconds(1), &time));
    duration.set_nanos(static_cast<int32_t>(absl::ToInt64Nanoseconds(time)));
    NewMessage(field, message).CopyFrom(duration);
    return absl::OkStatus();
  }
  absl::Time moment;
  std::string error;
  if (!absl::ParseTime(absl::RFC3339_full, text, &moment, &error)) {
    return NotA({text.data(), text.size()}, "a moment such as \"2024-05-01T12:00:00Z\"");
  }
  Timestamp timestamp;
  timestamp.set_seconds(absl::ToUnixSeconds(moment));
  timestamp.set_nanos(static_cast<int32_t>(
      absl::ToInt64Nanoseconds(moment - absl::FromUnixSeconds(timestamp.seconds()))));
  NewMessage(field, message).CopyFrom(timestamp);
  return absl::OkStatus();
}

std::string TimeText(const Message& message) {
  if (const auto* duration = dynamic_cast<const Duration*>(&message)) {
    return absl::FormatDuration(absl::Seconds(duration->seconds()) +
                                absl::Nanoseconds(duration->nanos()));
  }
  const auto& timestamp = dynamic_cast<const Timestamp&>(message);
  return absl::FormatTime(
      "%Y-%m-%dT%H:%M:%E*SZ",
      absl::FromUnixSeconds(timestamp.seconds()) + absl::Nanoseconds(timestamp.nanos()),
      absl::UTCTimeZone());
}

}  // namespace

bool IsScalar(const FieldDescriptor& field) {
  return field.cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE || Is<Duration>(field) ||
         Is<Timestamp>(field);
}

bool IsText(const FieldDescriptor& field) {
  return field.cpp_type() == FieldDescriptor::CPPTYPE_STRING ||
         field.cpp_type() == FieldDescriptor::CPPTYPE_ENUM ||
         field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
}

absl::Status SetScalar(std::string_view text, const FieldDescriptor& field, Message& message) {
  const absl::string_view view(text.data(), text.size());
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return SetInteger<int32_t>(view, field, message, &Reflection::SetInt32,
                                 &Reflection::AddInt32);
    case FieldDescriptor::CPPTYPE_INT64:
      return SetInteger<int64_t>(view, field, message, &Reflection::SetInt64,
                                 &Reflection::AddInt64);
    case FieldDescriptor::CPPTYPE_UINT32:
      return SetInteger<uint32_t>(view, field, message, &Reflection::SetUInt32,
                                  &Reflection::AddUInt32);
    case FieldDescriptor::CPPTYPE_UINT64:
      return SetInteger<uint64_t>(view, field, message, &Reflection::SetUInt64,
                                  &Reflection::AddUInt64);
    case FieldDescriptor::CPPTYPE_FLOAT:
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return SetDouble(view, field, message);
    case FieldDescriptor::CPPTYPE_BOOL:
      return SetBool(text, field, message);
    case FieldDescriptor::CPPTYPE_ENUM:
      return SetEnum(text, field, message);
    case FieldDescriptor::CPPTYPE_STRING:
      return SetString(text, field, message);
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return SetTime(view, field, message);
  }
  return absl::InternalError("a field type that protobuf does not have");
}

std::string ScalarText(const Message& message, const FieldDescriptor& field, int index) {
  const Reflection& reflection = *message.GetReflection();
  std::string scratch;
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      return field.is_repeated()
                 ? reflection.GetRepeatedStringReference(message, &field, index, &scratch)
                 : reflection.GetStringReference(message, &field, &scratch);
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return TimeText(field.is_repeated() ? reflection.GetRepeatedMessage(message, &field, index)
                                          : reflection.GetMessage(message, &field));
    default:
      google::protobuf::TextFormat::PrintFieldValueToString(
          message, &field, field.is_repeated() ? index : -1, &scratch);
      return scratch;
  }
}

}  // namespace wakegate
