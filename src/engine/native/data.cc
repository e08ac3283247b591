// SPDX-License-Identifier: Apache-2.0
#include "engine/native/data.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include "core/text.h"
#include "engine/inputs.h"
#include "engine/native/announced.h"
#include "engine/native/choice.h"
#include "engine/native/reason.h"

namespace edgeprobe::engine::native {
namespace {

/// This number of samples may fail before the data set counts as one that cannot be loaded.
constexpr std::size_t kTried = 20;
constexpr std::size_t kMostSamples = 100'000'000, kAlignment = 64;
/// The forms of a sample in a message.
constexpr std::uint8_t kPixels = 0, kFile = 1, kArrays = 2;

bool is_picture(const std::vector<TensorSpec>& arrays) {
  if (arrays.size() != 1 || arrays[0].dtype != DType::kUInt8) return false;
  const Shape& shape = arrays[0].shape;
  return shape.size() == 3 && (shape[2] == 1 || shape[2] == 3) && arrays[0].byte_size() > 0u;
}

bool is_file(const std::vector<TensorSpec>& arrays) {
  return arrays.size() == 1 && arrays[0].dtype == DType::kUInt8 && arrays[0].shape.size() == 1;
}

}  // namespace

Result<std::unique_ptr<DataServer>> DataServer::open(const std::string& text) {
  const DataChoice choice = split_data(text);
  EP_TRY(auto library, open_data_library(choice.library));
  const std::string name = library.name();
  if (choice.name != name)
    return Error{ErrorKind::kUsage, "library '" + sanitized(choice.library, 300) +
                                        "' has no data set '" + sanitized(choice.name, 60) +
                                        "'; it has '" + name + "'"};
  EP_TRY(const auto values, option_values(name, library.options, choice.options));
  std::vector<const char*> texts;
  for (const std::string& value : values) texts.push_back(value.c_str());
  std::unique_ptr<DataServer> server(new DataServer(std::move(library)));
  std::size_t count = 0;
  Reason reason;
  EP_CHECK(
      reason.of(server->library_.table.open(texts.data(), &server->state_, &count, reason.buffer()),
                name + " cannot be opened: "));
  server->is_open_ = true;
  if (count == 0 || count > kMostSamples)
    return Error{ErrorKind::kTarget, name + " has " + std::to_string(count) + " samples"};
  std::set<std::string> known;
  for (std::size_t i = 0; i < count; ++i) {
    const char* const sample = server->library_.table.sample(server->state_, i);
    if (!sample || !*sample || !known.insert(sample).second)
      return Error{ErrorKind::kTarget,
                   name + (sample && *sample ? " has two samples '" + sanitized(sample, 100) + "'"
                                             : " has no name for sample " + std::to_string(i))};
    server->names_.emplace_back(sample);
  }
  return server;
}

DataServer::~DataServer() {
  if (is_open_) library_.table.close(state_);
}

std::string DataServer::during(const std::string& function, std::size_t position) const {
  return library_.name() + ", " + function + "('" + sanitized(names_[position], 100) + "'): ";
}

Status DataServer::load(std::size_t position) {
  arrays_.clear();
  contents_.clear();
  Room<edgeprobe_plugin_sample> room;
  edgeprobe_plugin_sample& sample = room.known;
  sample.struct_size = sizeof sample;
  Reason reason;
  const std::string doing = during("load", position);
  EP_CHECK(reason.of(library_.table.load(state_, position, &sample, reason.buffer()), doing));
  auto described = all_announced(sample.arrays, sample.array_count, "array");
  if (!described) return std::move(described).error().during(doing.substr(0, doing.size() - 2));
  form_ = sample.form;
  for (std::size_t i = 0; i < described->size(); ++i) {
    TensorSpec& spec = (*described)[i].spec;
    const std::size_t size = *spec.byte_size();
    const void* const values = sample.values ? sample.values[i] : nullptr;
    if (!values && size > 0)
      return Error{ErrorKind::kTarget, doing + "it has no values for array " + std::to_string(i)};
    contents_.emplace_back(static_cast<const std::byte*>(values), size);
    arrays_.push_back(std::move(spec));
  }
  const bool fits = form_ == EDGEPROBE_PLUGIN_PICTURE ? is_picture(arrays_)
                    : form_ == EDGEPROBE_PLUGIN_FILE  ? is_file(arrays_)
                                                      : form_ == EDGEPROBE_PLUGIN_ARRAYS;
  if (fits) return {};
  return Error{ErrorKind::kTarget, doing + "its arrays do not suit the form " +
                                       std::to_string(form_) +
                                       "; edgeprobe_plugin.h describes the forms"};
}

Status DataServer::samples(wire::Writer& out) {
  // The first sample that can be loaded describes the arrays of the others.
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const Status loaded = load(i);
    if (loaded) break;
    if (i + 1 == std::min(names_.size(), kTried)) return loaded;
  }
  out.number<std::uint64_t>(names_.size());
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const std::int32_t label = library_.table.label ? library_.table.label(state_, i) : -1;
    out.text(names_[i]);
    out.text(label < 0 ? "" : "label");
    out.text(label < 0 ? "" : std::to_string(label));
    out.number<std::uint8_t>(i == 0);  // All are one sequence.
  }
  const bool has_arrays = form_ == EDGEPROBE_PLUGIN_ARRAYS;
  out.number<std::uint64_t>(has_arrays ? arrays_.size() : 0);
  if (has_arrays)
    for (const TensorSpec& spec : arrays_) wire::write(out, spec);
  return {};
}

Status DataServer::sample(wire::Reader& in, wire::Writer& out) {
  const auto position = in.number<std::uint64_t>();
  if (!in.ok() || position >= names_.size())
    return Error{ErrorKind::kTarget,
                 library_.name() + " has no sample " + std::to_string(position)};
  EP_CHECK(load(static_cast<std::size_t>(position)));
  deliver(out);
  return {};
}

void DataServer::deliver(wire::Writer& out) {
  std::vector<std::size_t> offsets;
  std::size_t end = 0;
  for (const ByteView& content : contents_) {
    offsets.push_back(end);
    end += (content.size + kAlignment - 1) / kAlignment * kAlignment;
  }
  const bool fits = end <= memory_.size();
  out.number<std::uint8_t>(fits);
  out.number<std::uint64_t>(end);
  if (!fits) return;
  if (form_ == EDGEPROBE_PLUGIN_PICTURE) {
    out.number(kPixels);
    for (const std::int64_t side : arrays_[0].shape)
      out.number<std::uint32_t>(static_cast<std::uint32_t>(side));
  } else if (form_ == EDGEPROBE_PLUGIN_FILE) {
    out.number(kFile);
  } else {
    out.number(kArrays);
    out.number<std::uint64_t>(arrays_.size());
    for (const TensorSpec& spec : arrays_) wire::write(out, spec);
  }
  out.number<std::uint64_t>(contents_.size());
  for (std::size_t i = 0; i < contents_.size(); ++i) {
    out.number<std::uint64_t>(offsets[i]);
    out.number<std::uint64_t>(contents_[i].size);
    if (!contents_[i].empty())
      std::memcpy(memory_.data() + offsets[i], contents_[i].data, contents_[i].size);
  }
}

}  // namespace edgeprobe::engine::native
