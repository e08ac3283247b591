// SPDX-License-Identifier: Apache-2.0
#include "trace/kernel_times.h"

#include <nlohmann/json.hpp>
#include <tuple>

#include "core/text.h"
#include "trace/channel_text.h"
#include "trace/names.h"

namespace edgeprobe::trace {
namespace {

using nlohmann::json;

constexpr const char* kKey = "kernels";

template <class T>
bool read_list(const json& value, std::vector<T>& list) {
  if (!value.is_array()) return false;
  for (const json& item : value) {
    if constexpr (std::is_same_v<T, int>) {
      if (!item.is_number_integer()) return false;
    } else {
      if (!item.is_string()) return false;
    }
    list.push_back(item.get<T>());
  }
  return true;
}

bool read_text(const json& entry, const char* key, std::string& text) {
  const auto at = entry.find(key);
  if (at == entry.end()) return true;
  if (!at->is_string()) return false;
  text = at->get<std::string>();
  return true;
}

bool read_kernel(const json& entry, TimedKernel& kernel) {
  if (!entry.is_object() || !read_text(entry, "name", kernel.name) ||
      !read_text(entry, "type", kernel.type) || !read_text(entry, "precision", kernel.precision))
    return false;
  if (const auto at = entry.find("layers"); at != entry.end() && !read_list(*at, kernel.layers))
    return false;
  if (const auto at = entry.find("types"); at != entry.end() && !read_list(*at, kernel.types))
    return false;
  if (const auto at = entry.find("inner"); at != entry.end()) {
    if (!at->is_boolean()) return false;
    kernel.inner = at->get<bool>();
  }
  return kernel.types.empty() || kernel.types.size() == kernel.layers.size();
}

}  // namespace

bool operator==(const TimedKernel& a, const TimedKernel& b) {
  const auto all = [](const TimedKernel& k) {
    return std::tie(k.name, k.type, k.layers, k.types, k.precision, k.inner);
  };
  return all(a) == all(b);
}

Channel kernel_times_channel(const std::vector<TimedKernel>& kernels, const std::string& name) {
  auto list = nlohmann::ordered_json::array();
  for (const TimedKernel& kernel : kernels) {
    nlohmann::ordered_json entry = nlohmann::ordered_json::object();
    if (!kernel.name.empty()) entry["name"] = as_utf8(kernel.name);
    entry["type"] = as_utf8(kernel.type);
    if (!kernel.layers.empty()) entry["layers"] = kernel.layers;
    if (!kernel.types.empty())
      for (const std::string& type : kernel.types) entry["types"].push_back(as_utf8(type));
    if (!kernel.precision.empty()) entry["precision"] = as_utf8(kernel.precision);
    if (kernel.inner) entry["inner"] = true;
    list.push_back(std::move(entry));
  }
  Channel channel;
  channel.stage = Stage::kKernelTime;
  channel.spec = {name, DType::kInt64, {static_cast<std::int64_t>(kernels.size())}, {}};
  channel.extra[kKey] = list.dump();
  return channel;
}

Result<std::vector<TimedKernel>> timed_kernels(const Channel& channel) {
  const auto bad = [&](const std::string& what) {
    return Error{ErrorKind::kCorrupt, "channel '" + sanitized(topic_of(channel)) + "': " + what};
  };
  const auto text = channel.extra.find(kKey);
  if (text == channel.extra.end()) return bad("the list of its kernels is missing");
  const json list = json::parse(text->second, nullptr, false);
  if (!list.is_array()) return bad("its kernels are not a JSON list");
  if (channel.spec.dtype != DType::kInt64 ||
      channel.spec.shape != Shape{static_cast<std::int64_t>(list.size())})
    return bad("expected int64 [" + std::to_string(list.size()) +
               "], one value for each of its kernels");
  std::vector<TimedKernel> kernels;
  for (const json& entry : list) {
    kernels.emplace_back();
    if (!read_kernel(entry, kernels.back()))
      return bad("kernel " + std::to_string(kernels.size() - 1) + " is not valid");
  }
  return kernels;
}

}  // namespace edgeprobe::trace
