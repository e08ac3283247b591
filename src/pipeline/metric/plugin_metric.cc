// SPDX-License-Identifier: Apache-2.0
#include "pipeline/metric/plugin_metric.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>
#include <variant>

#include "core/text.h"
#include "engine/child.h"
#include "engine/on_behalf.h"
#include "engine/plugin.h"
#include "engine/wire.h"
#include "process/shared_memory.h"
#include "process/wait.h"
#include "task/recorded.h"

namespace edgeprobe::pipeline {
namespace {

using engine::wire::Reader;
using engine::wire::Step;
using engine::wire::Writer;

constexpr int kOpenTimes = 2;
constexpr std::size_t kFirstMemory = std::size_t{1} << 20;
constexpr std::size_t kLongestName = 60;

/// The annotation as kind and JSON, as in python/edgeprobe/plugins/metric.py.
std::pair<std::string, std::string> annotation_text(const std::optional<task::Annotation>& truth) {
  if (!truth) return {};
  if (const auto* label = std::get_if<task::ClassLabel>(&*truth))
    return {"label", std::to_string(label->index)};
  if (const auto* set = std::get_if<task::ClassSet>(&*truth)) {
    std::string list;
    for (const int index : set->indices) list += (list.empty() ? "[" : ",") + std::to_string(index);
    return {"class_set", list + "]"};
  }
  if (const auto* other = std::get_if<task::OtherAnnotation>(&*truth))
    return {other->kind, other->value};
  auto json = task::annotation_to_json(*truth);
  return json ? std::pair{json->kind, json->value} : std::pair<std::string, std::string>();
}

class PluginMetric : public task::UserMetric {
 public:
  PluginMetric(std::string name, bool higher_is_better, std::unique_ptr<engine::Child> child,
               std::string title, std::chrono::milliseconds limit, Control control)
      : UserMetric(std::move(name), higher_is_better),
        child_(std::move(child)),
        title_(std::move(title)),
        limit_(limit),
        control_(std::move(control)) {}

  Result<std::optional<Item>> add(const task::MetricFrame& frame) override {
    if (failure()) return *failure();
    Writer request;
    request.number<std::uint64_t>(frame.outputs.size());
    EP_CHECK(share(frame, request));
    const auto [kind, value] = annotation_text(frame.annotation);
    request.text(kind);
    request.text(value);
    const Bytes answer = frame.answer ? trace::encode(*frame.answer) : Bytes();
    request.blob({answer.data(), answer.size()});
    EP_TRY(const auto reply, call(Step::kFrame, request.bytes()));
    Reader in(reply);
    std::optional<Item> item;
    if (in.number<std::uint8_t>() != 0) item = in.number<std::uint32_t>();
    return in.ok() ? Result(item) : Result<std::optional<Item>>(failed(garbled()));
  }

  Result<std::optional<double>> figure(std::span<const Item> items) override {
    if (failure()) return *failure();
    Writer request;
    request.blob({reinterpret_cast<const std::byte*>(items.data()), items.size_bytes()});
    EP_TRY(const auto reply, call(Step::kFigure, request.bytes()));
    Reader in(reply);
    const auto value = in.number<double>();
    if (!in.ok()) return failed(garbled());
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
  }

 private:
  Error garbled() const {
    return {ErrorKind::kTarget, title_ + ": its process sent an invalid answer"};
  }

  Result<Bytes> call(Step step, ByteView body, int descriptor = -1) {
    // Each call is short; all of them together may not be.
    if (control_.stopped() || process::is_program_stopped()) return failed(interrupted());
    const engine::OnBehalf user({-1, control_.stop});
    auto reply = child_->call(step, body, descriptor, limit_, title_);
    if (!reply) failed(reply.error());
    return reply;
  }

  /// Copies the outputs as float32 into the shared memory, and describes them in the request.
  Status share(const task::MetricFrame& frame, Writer& request) {
    std::size_t bytes = 0;
    for (const task::MetricOutput& output : frame.outputs)
      bytes += output.values.size() * sizeof(float);
    EP_CHECK(enlarge(bytes));
    std::size_t at = 0;
    for (const task::MetricOutput& output : frame.outputs) {
      request.text(output.name);
      request.number<std::uint64_t>(output.shape.size());
      for (const std::int64_t dim : output.shape) request.number(dim);
      request.number<std::uint64_t>(at);
      const std::size_t size = output.values.size() * sizeof(float);
      if (size > 0) std::memcpy(memory_.data() + at, output.values.data(), size);
      at += size;
    }
    return {};
  }

  Status enlarge(std::size_t bytes) {
    if (bytes <= memory_.size()) return {};
    const std::size_t wanted = std::max(kFirstMemory, bytes + bytes / 2);
    EP_TRY(memory_, process::SharedMemory::create(wanted, "edgeprobe metric"));
    Writer attach;
    attach.number<std::uint64_t>(wanted);
    EP_CHECK(call(Step::kArena, attach.bytes(), memory_.descriptor()));
    return {};
  }

  std::unique_ptr<engine::Child> child_;
  std::string title_;
  std::chrono::milliseconds limit_;
  Control control_;
  process::SharedMemory memory_;
};

}  // namespace

Result<std::unique_ptr<task::UserMetric>> open_plugin_metric(const std::string& text,
                                                             const PluginMetricOptions& options,
                                                             const Control& control) {
  if (!engine::names_class(text))
    return Error{ErrorKind::kUsage, "--metric '" + sanitized(text, 200) +
                                        "': expected FILE.py:CLASS or python:NAME, with "
                                        "?OPTION=VALUE (docs/extending.md)"};
  const std::string title = "metric plug-in '" + sanitized(text, 300) + "'";
  EP_TRY(auto child, engine::Child::start_plugin("metric", options.python));
  Writer request;
  request.text(text);
  const engine::OnBehalf user({-1, control.stop});
  EP_TRY(const auto opened,
         child->call(Step::kOpen, request.bytes(), -1, kOpenTimes * options.limit, title));
  Reader in(opened);
  std::string name = sanitized(in.text(), kLongestName);
  const bool higher = in.number<std::uint8_t>() != 0;
  if (!in.ok()) return Error{ErrorKind::kTarget, title + ": its process sent an invalid answer"};
  return std::unique_ptr<task::UserMetric>(std::make_unique<PluginMetric>(
      std::move(name), higher, std::move(child), title, options.limit, control));
}

}  // namespace edgeprobe::pipeline
