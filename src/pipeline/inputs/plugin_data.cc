// SPDX-License-Identifier: Apache-2.0
#include "pipeline/inputs/plugin_data.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <memory>
#include <mutex>
#include <utility>

#include "core/file.h"
#include "core/sha256.h"
#include "core/text.h"
#include "engine/child.h"
#include "engine/kinds.h"
#include "engine/native/choice.h"
#include "engine/plugin.h"
#include "engine/wire.h"
#include "process/shared_memory.h"
#include "task/recorded.h"

namespace edgeprobe::pipeline {
namespace {

using engine::wire::Reader;
using engine::wire::Step;
using engine::wire::Writer;

/// Time for imports, and for a list of samples with annotations, in times of one sample's.
constexpr int kOpenTimes = 2, kListTimes = 10;
constexpr std::size_t kFirstMemory = std::size_t{1} << 20, kMostMemory = std::size_t{2} << 30;
/// After this number of ended processes, the plug-in is at fault rather than a sample.
constexpr int kMostRestarts = 10;
constexpr std::uint64_t kMostSamples = 100'000'000;

Error garbled(const std::string& title) {
  return {ErrorKind::kTarget, title + ": its process sent an invalid answer"};
}

/// The form of a sample in a message, as in python/edgeprobe/plugins/dataset.py.
enum class Form : std::uint8_t { kPixels, kFile, kArrays, kText };

/// The plug-in's process, and the memory that it shares. Samples may be loaded by several threads.
class Source {
 public:
  Source(std::string text, PluginDataOptions options)
      : text_(std::move(text)),
        options_(std::move(options)),
        title_("dataset plug-in '" + sanitized(text_, 300) + "'") {}

  const std::string& title() const { return title_; }

  /// Starts the process and lets it make its list of samples.
  Result<Bytes> open() {
    const bool is_native = !engine::native::split_data(text_).library.empty();
    if (is_native) {
      EP_TRY(child_, engine::Child::start({engine::kind_of(engine::EngineId::kNative).name, {}}));
    } else {
      EP_TRY(child_, engine::Child::start_plugin("dataset", options_.python));
    }
    Writer request;
    request.text(text_.starts_with(kPrefix) ? text_.substr(kPrefix.size()) : text_);
    EP_CHECK(child_->call(is_native ? Step::kOpenData : Step::kOpen, request.bytes(), -1,
                          kOpenTimes * options_.limit, title_));
    memory_ = {};
    return child_->call(Step::kSamples, {}, -1, kListTimes * options_.limit,
                        title_ + ", listing its samples", engine::wire::kLongestResult);
  }

  Result<dataset::Loaded> load(std::size_t index, const std::string& name) {
    const std::lock_guard lock(mutex_);
    if (!child_->alive()) {
      if (++restarts_ > kMostRestarts)
        return Error{ErrorKind::kTarget, title_ + ": its process ended " +
                                             std::to_string(kMostRestarts) +
                                             " times; it is not started again"};
      EP_CHECK(open());
    }
    const std::string doing = title_ + ", load('" + sanitized(name, 100) + "')";
    Writer request;
    request.number<std::uint64_t>(index);
    EP_TRY(auto reply, child_->call(Step::kSample, request.bytes(), -1, options_.limit, doing));
    Reader head(reply);
    const bool fits = head.number<std::uint8_t>() != 0;
    const auto size = head.number<std::uint64_t>();
    if (!fits) {
      EP_CHECK(enlarge(size, doing));
      EP_TRY(reply, child_->call(Step::kSampleAgain, {}, -1, options_.limit, doing));
    }
    Reader in(reply);
    if (in.number<std::uint8_t>() == 0 || in.number<std::uint64_t>() != size)
      return garbled(title_);
    return read(in, name);
  }

  static constexpr std::string_view kPrefix = "python:";

 private:
  Status enlarge(std::uint64_t size, const std::string& doing) {
    if (size > kMostMemory)
      return Error{ErrorKind::kLimit, doing + " takes " + bytes_text(static_cast<double>(size)) +
                                          "; the limit of a sample is " +
                                          bytes_text(static_cast<double>(kMostMemory))};
    const std::size_t wanted = std::max<std::size_t>(kFirstMemory, size + size / 2);
    EP_TRY(memory_, process::SharedMemory::create(wanted, "edgeprobe samples"));
    Writer attach;
    attach.number<std::uint64_t>(wanted);
    EP_CHECK(
        child_->call(Step::kArena, attach.bytes(), memory_.descriptor(), options_.limit, doing));
    return {};
  }

  /// The next content of a sample; empty and not ok() if it is outside the shared memory.
  ByteView content(Reader& in) const {
    const auto offset = in.number<std::uint64_t>(), size = in.number<std::uint64_t>();
    if (size == 0) return {};
    if (offset > memory_.size() || size > memory_.size() - offset) {
      in.fail();
      return {};
    }
    return memory_.view().sub(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
  }

  Result<dataset::Loaded> read(Reader& in, const std::string& name) const {
    switch (static_cast<Form>(in.number<std::uint8_t>())) {
      case Form::kPixels: return read_pixels(in);
      case Form::kFile: {
        in.number<std::uint64_t>();
        const ByteView bytes = content(in);
        if (!in.ok()) return garbled(title_);
        return dataset::load_file(bytes.copy(), name);
      }
      case Form::kArrays: return read_arrays(in);
      case Form::kText: return read_text(in);
    }
    return garbled(title_);
  }

  Result<dataset::Loaded> read_pixels(Reader& in) const {
    const auto height = in.number<std::uint32_t>(), width = in.number<std::uint32_t>(),
               channels = in.number<std::uint32_t>();
    in.number<std::uint64_t>();
    const ByteView bytes = content(in);
    const bool fits = std::uint64_t{height} * width * channels == bytes.size;
    if (!in.ok() || !fits || bytes.size == 0 || height > 1u << 24 || width > 1u << 24)
      return garbled(title_);
    dataset::Picture picture;
    picture.image = {
        static_cast<int>(height), static_cast<int>(width), static_cast<int>(channels), {}};
    const auto* const first = reinterpret_cast<const std::uint8_t*>(bytes.data);
    picture.image.pixels.assign(first, first + bytes.size);
    return dataset::Loaded{std::move(picture), sha256(bytes)};
  }

  Result<dataset::Loaded> read_arrays(Reader& in) const {
    dataset::Arrays arrays;
    for (std::size_t left = in.count(); left > 0 && in.ok(); --left)
      arrays.arrays.push_back({engine::wire::read_spec(in), {}});
    if (in.count() != arrays.arrays.size()) return garbled(title_);
    Sha256 hash;
    for (Tensor& array : arrays.arrays) {
      const ByteView bytes = content(in);
      if (!in.ok() || array.spec.byte_size() != bytes.size) return garbled(title_);
      hash.add(view_of(array.spec.name));
      hash.add(bytes);
      array.bytes = bytes.copy();
    }
    return dataset::Loaded{std::move(arrays), hash.hex()};
  }

  Result<dataset::Loaded> read_text(Reader& in) const {
    dataset::Text text;
    Sha256 hash;
    const std::size_t count = in.count();
    for (std::size_t i = 0; i < count && in.ok(); ++i) {
      const std::string name = count == 1 ? "text" : "text_" + std::string(1, char('a' + i % 26));
      text.parts.push_back({name, in.text()});
      hash.add(view_of(text.parts.back().text));
    }
    if (!in.ok()) return garbled(title_);
    return dataset::Loaded{std::move(text), hash.hex()};
  }

  std::string text_;
  PluginDataOptions options_;
  std::string title_;
  std::mutex mutex_;
  std::unique_ptr<engine::Child> child_;
  process::SharedMemory memory_;
  int restarts_ = 0;
};

/// One sample's annotation. kUsage for one that no task reads.
Result<std::optional<task::Annotation>> annotation_of(const std::string& kind, std::string value,
                                                      const std::string& title,
                                                      const std::string& name) {
  if (kind.empty()) return std::optional<task::Annotation>();
  trace::FrameRecord record;
  if (kind == "label") {
    int index = -1;
    const char* const end = value.data() + value.size();
    const auto [at, failure] = std::from_chars(value.data(), end, index);
    if (failure != std::errc{} || at != end || index < 0) return garbled(title);
    record.label = index;
  } else {
    record.annotation = trace::FrameAnnotation{kind, std::move(value)};
  }
  auto annotation = task::recorded(record);
  if (annotation && !std::holds_alternative<task::OtherAnnotation>(*annotation)) return annotation;
  return Error{
      ErrorKind::kUsage,
      title + ": annotation('" + sanitized(name, 100) + "') is of the kind '" +
          sanitized(kind, 60) +
          "' in a form that no task reads; docs/reference/trace-format.md shows the kinds"};
}

}  // namespace

bool is_plugin_data(std::string_view text) {
  return engine::names_class(text) || !engine::native::split_data(text).library.empty();
}

Result<std::vector<dataset::Sample>> open_plugin_data(std::string_view text,
                                                      const PluginDataOptions& options,
                                                      const dataset::Labels& labels) {
  const auto source = std::make_shared<Source>(std::string(text), options);
  EP_TRY(const auto list, source->open());
  Reader in(list);
  std::vector<dataset::Sample> samples;
  bool any_known = labels.empty();
  const std::uint64_t count = in.count();
  if (count > kMostSamples) return garbled(source->title());
  for (std::size_t i = 0; i < count && in.ok(); ++i) {
    dataset::Sample sample;
    sample.name = in.text();
    const std::string kind = in.text();
    EP_TRY(sample.annotation, annotation_of(kind, in.text(), source->title(), sample.name));
    if (auto known = dataset::annotation_of(labels, sample.name)) {
      sample.annotation = known;
      any_known = true;
    }
    sample.begins_sequence = in.number<std::uint8_t>() != 0;
    sample.load = [source, i, name = sample.name] { return source->load(i, name); };
    samples.push_back(std::move(sample));
  }
  std::vector<TensorSpec> arrays;
  for (std::size_t left = in.count(); left > 0 && in.ok(); --left)
    arrays.push_back(engine::wire::read_spec(in));
  if (!in.ok() || samples.empty()) return garbled(source->title());
  if (!any_known)
    return Error{ErrorKind::kUsage, "--labels names none of the " + std::to_string(samples.size()) +
                                        " samples of " + source->title() +
                                        "; the first is called '" +
                                        sanitized(samples.front().name, 80) + "'"};
  for (dataset::Sample& sample : samples) sample.arrays = arrays;
  return samples;
}

}  // namespace edgeprobe::pipeline
