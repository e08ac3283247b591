// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/nesting.h"
#include "core/text.h"
#include "engine/options.h"

namespace edgeprobe::engine {
namespace {

using nlohmann::json;

constexpr std::array kDelegateKinds{"external", "gpu", "nnapi"};  // Indexed by Delegate::Kind.

constexpr std::size_t kLongestText = 1'000'000;
constexpr std::size_t kDeepest = 32;

/// Text as a string; bytes that are not UTF-8, as in some file names, as {"hex": "…"}.
json text_json(const std::string& text) {
  try {
    (void)json(text).dump();
    return text;
  } catch (const json::type_error&) {
    static constexpr const char* kDigits = "0123456789abcdef";
    std::string hex;
    for (const char c : text) {
      hex += kDigits[static_cast<unsigned char>(c) >> 4];
      hex += kDigits[static_cast<unsigned char>(c) & 15];
    }
    return {{"hex", hex}};
  }
}

std::optional<std::string> text_from(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_object() || value.size() != 1 || !value.contains("hex")) return std::nullopt;
  const json& hex = value["hex"];
  if (!hex.is_string()) return std::nullopt;
  const auto digit = [](char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  };
  const auto& digits = hex.get_ref<const std::string&>();
  std::string text;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    const int high = digit(digits[i]), low = digit(digits[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    text += static_cast<char>(high * 16 + low);
  }
  return digits.size() % 2 == 0 ? std::optional(std::move(text)) : std::nullopt;
}

/// Reads integers within a type's range; anything else is an error for its key.
template <class T>
std::optional<T> whole_from(const json& value) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    if (number > static_cast<std::uint64_t>(std::numeric_limits<T>::max())) return std::nullopt;
    return static_cast<T>(number);
  }
  if (!value.is_number_integer()) return std::nullopt;
  const auto number = value.get<std::int64_t>();
  if (number < static_cast<std::int64_t>(std::numeric_limits<T>::min()) ||
      number > static_cast<std::int64_t>(std::numeric_limits<T>::max()))
    return std::nullopt;
  return static_cast<T>(number);
}

template <class T>
std::optional<std::vector<T>> wholes_from(const json& value) {
  if (!value.is_array()) return std::nullopt;
  std::vector<T> numbers;
  for (const json& one : value) {
    const auto number = whole_from<T>(one);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

std::optional<Delegate> delegate_from(const json& value) {
  if (!value.is_object() || value.size() != 3 || !value.contains("kind") ||
      !value.contains("library") || !value.contains("options") || !value["options"].is_array())
    return std::nullopt;
  Delegate delegate;
  const auto library = text_from(value["library"]);
  if (!library) return std::nullopt;
  delegate.library = *library;
  std::size_t kind = 0;
  while (kind < kDelegateKinds.size() && value["kind"] != kDelegateKinds[kind]) ++kind;
  if (kind == kDelegateKinds.size()) return std::nullopt;
  delegate.kind = static_cast<Delegate::Kind>(kind);
  for (const json& pair : value["options"]) {
    if (!pair.is_array() || pair.size() != 2) return std::nullopt;
    auto key = text_from(pair[0]), text = text_from(pair[1]);
    if (!key || !text) return std::nullopt;
    delegate.options.emplace_back(*std::move(key), *std::move(text));
  }
  return delegate;
}

json to_json(const Delegate& delegate) {
  json options = json::array();
  for (const auto& [key, value] : delegate.options)
    options.push_back({text_json(key), text_json(value)});
  return {{"kind", kDelegateKinds[static_cast<std::size_t>(delegate.kind)]},
          {"library", text_json(delegate.library.native())},
          {"options", std::move(options)}};
}

json to_json(const OwnOptions& own) {
  if (const auto* const tflite = std::get_if<TfliteOptions>(&own))
    return {{"kernels", tflite->kernels ? json(name(*tflite->kernels)) : json()}};
  if (const auto* const onnxruntime = std::get_if<OnnxRuntimeOptions>(&own)) {
    json options{{"optimization", name(onnxruntime->optimization)},
                 {"spinning", onnxruntime->spinning}};
    // Servers of earlier versions do not know this key.
    if (onnxruntime->parallel) options["parallel"] = true;
    return options;
  }
  return nullptr;
}

/// The keys determine the engine that the options belong to.
std::optional<OwnOptions> own_from(const json& value) {
  if (value.is_null()) return OwnOptions{};
  if (!value.is_object()) return std::nullopt;
  if (value.size() == 1 && value.contains("kernels")) {
    const json& kernels = value["kernels"];
    if (kernels.is_null()) return TfliteOptions{};
    const auto known = kernels.is_string()
                           ? kernels_from_name(kernels.get_ref<const std::string&>())
                           : std::nullopt;
    return known ? std::optional<OwnOptions>(TfliteOptions{known}) : std::nullopt;
  }
  OnnxRuntimeOptions onnxruntime;
  for (const auto& [key, one] : value.items()) {
    if (key == "spinning" && one.is_boolean()) {
      onnxruntime.spinning = one.get<bool>();
    } else if (key == "parallel" && one.is_boolean()) {
      onnxruntime.parallel = one.get<bool>();
    } else if (key == "optimization" && one.is_string()) {
      const auto level = optimization_from_name(one.get_ref<const std::string&>());
      if (!level) return std::nullopt;
      onnxruntime.optimization = *level;
    } else {
      return std::nullopt;
    }
  }
  return value.empty() ? std::nullopt : std::optional<OwnOptions>(onnxruntime);
}

/// Stores a value; false if it is invalid.
template <class T, class Field>
bool store(std::optional<T> value, Field& field) {
  if (!value) return false;
  field = Field(*std::move(value));
  return true;
}

bool read_shapes(const json& value, std::map<std::string, Shape>& shapes) {
  if (!value.is_array()) return false;
  for (const json& pair : value) {
    if (!pair.is_array() || pair.size() != 2) return false;
    auto input = text_from(pair[0]);
    auto shape = wholes_from<std::int64_t>(pair[1]);
    if (!input || !shape) return false;
    if (!shapes.emplace(*std::move(input), *std::move(shape)).second) return false;
  }
  return true;
}

bool read_delegates(const json& value, std::vector<Delegate>& delegates) {
  if (!value.is_array()) return false;
  for (const json& one : value) {
    auto delegate = delegate_from(one);
    if (!delegate) return false;
    delegates.push_back(*std::move(delegate));
  }
  return true;
}

bool read_paths(const json& value, std::vector<std::filesystem::path>& paths) {
  if (!value.is_array()) return false;
  for (const json& one : value) {
    const auto path = text_from(one);
    if (!path) return false;
    paths.emplace_back(*path);
  }
  return true;
}

/// False for an invalid value, nothing for an unknown key.
std::optional<bool> read_key(const std::string& key, const json& value, SessionOptions& into) {
  const auto flag = [&] {
    return value.is_boolean() ? std::optional(value.get<bool>()) : std::nullopt;
  };
  const auto precision = [&] {
    return value.is_string() ? precision_from_name(value.get_ref<const std::string&>())
                             : std::nullopt;
  };
  if (key == "threads") return store(whole_from<int>(value), into.threads);
  if (key == "cpus") return store(wholes_from<int>(value), into.cpus);
  if (key == "capture") return store(wholes_from<int>(value), into.capture);
  if (key == "delegates") return read_delegates(value, into.delegates);
  if (key == "custom_ops") return read_paths(value, into.custom_ops);
  if (key == "precision") return store(precision(), into.precision);
  if (key == "profile") return store(flag(), into.profile);
  if (key == "folder") return store(text_from(value), into.folder);
  if (key == "input_shapes") return read_shapes(value, into.input_shapes);
  if (key == "load_limit_ms") return store(whole_from<std::int64_t>(value), into.load_limit);
  if (key == "invoke_limit_ms") return store(whole_from<std::int64_t>(value), into.invoke_limit);
  if (key == "shared_process") return store(flag(), into.shared_process);
  if (key == "own") return store(own_from(value), into.own);
  return std::nullopt;
}

}  // namespace

std::string to_json(const SessionOptions& options) {
  json shapes = json::array();
  for (const auto& [input, shape] : options.input_shapes)
    shapes.push_back({text_json(input), shape});
  json delegates = json::array();
  for (const Delegate& delegate : options.delegates) delegates.push_back(to_json(delegate));
  json made{{"threads", options.threads},
            {"cpus", options.cpus},
            {"delegates", std::move(delegates)},
            {"precision", name(options.precision)},
            {"profile", options.profile},
            {"folder", text_json(options.folder.native())},
            {"input_shapes", std::move(shapes)},
            {"load_limit_ms", options.load_limit.count()},
            {"invoke_limit_ms", options.invoke_limit.count()},
            {"shared_process", options.shared_process},
            {"own", to_json(options.own)}};
  // Servers of earlier versions do not know these keys.
  if (!options.capture.empty()) made["capture"] = options.capture;
  if (!options.custom_ops.empty()) {
    made["custom_ops"] = json::array();
    for (const std::filesystem::path& path : options.custom_ops)
      made["custom_ops"].push_back(text_json(path.native()));
  }
  return made.dump();
}

Result<SessionOptions> session_options_from_json(std::string_view text) {
  // The text may come from another machine.
  if (text.size() > kLongestText || nesting_of(text) > kDeepest)
    return Error{ErrorKind::kUsage,
                 "session options are longer than 1 MB or nested deeper than 32 levels"};
  const json root = json::parse(text, nullptr, false);
  if (!root.is_object()) return Error{ErrorKind::kUsage, "session options: expected a JSON object"};
  SessionOptions options;
  for (const auto& [key, value] : root.items()) {
    const auto read = read_key(key, value, options);
    if (!read)
      return Error{ErrorKind::kUsage, "session options: '" + sanitized(key, 60) + "' is not known"};
    if (!*read)
      return Error{ErrorKind::kUsage,
                   "session options: '" + key + "' cannot be " +
                       sanitized(value.dump(-1, ' ', true, json::error_handler_t::replace), 80)};
  }
  return options;
}

}  // namespace edgeprobe::engine
