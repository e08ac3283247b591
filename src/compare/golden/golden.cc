// SPDX-License-Identifier: Apache-2.0
#include "compare/golden/golden.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "archive/npz.h"
#include "compare/golden/scores_csv.h"
#include "core/file.h"
#include "core/text.h"
#include "task/classification.h"
#include "trace/record/writer.h"

namespace edgeprobe::compare {
namespace {

using archive::kSamples, archive::kMostNpzBytes, archive::Npz, archive::parse_npz;

using trace::Stage;

std::vector<TensorSpec> outputs_of(const trace::Reader& target) {
  std::vector<const trace::Channel*> channels;
  for (const trace::ReadChannel& channel : target.channels())
    if (channel.channel.stage == Stage::kModelOutput && channel.messages > 0)
      channels.push_back(&channel.channel);
  std::stable_sort(channels.begin(), channels.end(),
                   [](const auto* a, const auto* b) { return a->position < b->position; });
  std::vector<TensorSpec> specs;
  for (const trace::Channel* channel : channels) specs.push_back(channel->spec);
  return specs;
}

// The target's frames by sample name, also by its last path component if that is unique.
class Frames {
 public:
  explicit Frames(const trace::Reader& target) : target_(target) {
    for (std::size_t i = 0; i < target.records().size(); ++i) {
      const std::string& sample = target.records()[i].sample;
      if (sample.empty()) continue;
      whole_.emplace(sample, i);
      const auto [at, fresh] = last_.emplace(sample.substr(sample.rfind('/') + 1), i);
      if (!fresh) at->second = kSeveral;
    }
  }
  std::optional<std::size_t> find(const std::string& sample) const {
    if (const auto at = whole_.find(sample); at != whole_.end()) return at->second;
    const auto at = last_.find(sample);
    if (at == last_.end() || at->second == kSeveral) return std::nullopt;
    return at->second;
  }
  std::string example() const {
    return whole_.empty()
               ? ""
               : "; the trace's are such as '" + sanitized(whole_.begin()->first, 60) + "'";
  }
  const trace::Reader& target() const { return target_; }
  /// "'cat.jpg'", or "frame 7".
  std::string title(std::size_t place) const {
    const trace::FrameRecord& record = target_.records()[place];
    return record.sample.empty() ? "frame " + std::to_string(record.frame)
                                 : "'" + sanitized(record.sample, 60) + "'";
  }

 private:
  static constexpr std::size_t kSeveral = static_cast<std::size_t>(-1);
  const trace::Reader& target_;
  std::map<std::string, std::size_t> whole_, last_;
};

// One output of the golden file: rows of values, one for each frame of the target.
struct Rows {
  TensorSpec spec;  ///< Spec of one row.
  std::vector<ByteView> values;
};

struct Golden {
  std::vector<Rows> outputs;
  std::vector<std::size_t> frames;         ///< For each row, its index in the target's frames.
  std::vector<std::optional<int>> labels;  ///< Label of each row; may be empty.
  std::size_t strangers = 0;               ///< Samples in the file that the target does not have.
  std::string stranger, layout;
};

// The spec of one row for the target: the same number of values; with its quantisation if these are
// its codes.
Result<TensorSpec> row_spec(const TensorSpec& output, DType dtype, std::size_t values) {
  const auto expected = element_count(output.shape);
  if (expected && *expected != values)
    return Error{ErrorKind::kUsage, "'" + sanitized(output.name) + "' has " +
                                        std::to_string(values) + " values a frame, in the target " +
                                        std::to_string(*expected) + " (" + to_text(output.shape) +
                                        ")"};
  TensorSpec spec{output.name, dtype, output.shape, {}};
  if (!expected) spec.shape = {static_cast<std::int64_t>(values)};
  if (dtype == output.dtype) spec.quantization = output.quantization;
  return spec;
}

Result<std::size_t> only_output(const std::vector<TensorSpec>& outputs, const char* form) {
  if (outputs.size() == 1) return std::size_t{0};
  if (const auto scores = task::class_output(outputs);
      scores && outputs.size() > 1 && std::string(form) == "table")
    return *scores;
  return Error{ErrorKind::kUsage, "the target has " + std::to_string(outputs.size()) +
                                      " outputs; use an .npz with one array for each of them"};
}

Status add_row(Golden& golden, const Frames& frames, const std::string& sample,
               std::set<std::size_t>& taken) {
  const auto frame = frames.find(sample);
  if (!frame || !taken.insert(*frame).second) {
    if (golden.strangers++ == 0) golden.stranger = sample;
    return Error{ErrorKind::kNotFound, ""};
  }
  golden.frames.push_back(*frame);
  return {};
}

Result<Golden> from_table(const ScoreTable& table, const std::vector<TensorSpec>& outputs,
                          const Frames& frames) {
  EP_TRY(const auto output, only_output(outputs, "table"));
  EP_TRY(auto spec, row_spec(outputs[output], DType::kFloat32, table.classes.size()));
  Golden golden;
  golden.layout = "a table of scores, joined by sample";
  golden.outputs.push_back({std::move(spec), {}});
  std::set<std::size_t> taken;
  for (const ScoreRow& row : table.rows) {
    if (!add_row(golden, frames, row.sample, taken)) continue;
    golden.outputs[0].values.push_back(
        {reinterpret_cast<const std::byte*>(row.scores.data()), row.scores.size() * sizeof(float)});
    golden.labels.push_back(row.label);
  }
  return golden;
}

Result<Golden> from_samples(const Npz& npz, const std::vector<TensorSpec>& outputs,
                            const Frames& frames) {
  EP_TRY(const auto output, only_output(outputs, "samples"));
  Golden golden;
  golden.layout = "one array for each sample";
  golden.outputs.resize(1);
  std::set<std::size_t> taken;
  for (const Tensor& array : npz.arrays) {
    auto spec = row_spec(outputs[output], array.spec.dtype, *element_count(array.spec.shape));
    if (!frames.find(array.spec.name)) {
      if (golden.strangers++ == 0) golden.stranger = array.spec.name;
      continue;
    }
    if (!spec) return std::move(spec.error()).during("sample '" + sanitized(array.spec.name) + "'");
    if (golden.frames.empty()) golden.outputs[0].spec = *spec;
    if (spec->dtype != golden.outputs[0].spec.dtype)
      return Error{ErrorKind::kUsage, "sample '" + sanitized(array.spec.name) + "' is " +
                                          name(spec->dtype) + ", others are " +
                                          name(golden.outputs[0].spec.dtype)};
    if (!add_row(golden, frames, array.spec.name, taken)) continue;
    golden.outputs[0].values.push_back(array.bytes);
  }
  return golden;
}

// Other keys that `trace export --npz` writes next to the outputs.
bool other_key(const std::string& key) {
  if (key == "frames" || key == "labels" || key == "samples" || key.ends_with(".frames"))
    return true;
  for (const char* stage : {"raw_input/", "intermediate/", "model_input/", "layer/"})
    if (key.starts_with(stage)) return true;
  return false;
}

const Tensor* array_named(const Npz& npz, const std::string& name) {
  for (const Tensor& array : npz.arrays)
    if (array.spec.name == name) return &array;
  return nullptr;
}

// Reads whole numbers of any integer type.
Result<std::vector<std::int64_t>> whole_numbers(const Tensor& array) {
  const std::size_t size = size_of(array.spec.dtype),
                    count = array.bytes.size() / std::max<std::size_t>(1, size);
  const bool is_signed = array.spec.dtype == DType::kInt8 || array.spec.dtype == DType::kInt16 ||
                         array.spec.dtype == DType::kInt32 || array.spec.dtype == DType::kInt64;
  if (!is_integer(array.spec.dtype))
    return Error{ErrorKind::kUsage, "'" + sanitized(array.spec.name) + "' is " +
                                        name(array.spec.dtype) + ", expected whole numbers"};
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t value = 0;
    std::memcpy(&value, array.bytes.data() + i * size, size);
    if (is_signed && size < 8 && value >> (size * 8 - 1)) value |= ~std::uint64_t{0} << (size * 8);
    numbers.push_back(static_cast<std::int64_t>(value));
  }
  return numbers;
}

// The target's frame for each row; nothing for rows without one.
Result<std::vector<std::optional<std::size_t>>> row_frames(const Npz& npz, std::size_t rows,
                                                           const Frames& frames, Golden& golden) {
  std::vector<std::optional<std::size_t>> places;
  const trace::Reader& target = frames.target();
  if (const auto samples = npz.texts.find(kSamples); samples != npz.texts.end()) {
    for (const std::string& sample : samples->second) {
      places.push_back(frames.find(sample));
      if (!places.back() && golden.strangers++ == 0) golden.stranger = sample;
    }
    golden.layout = "one array for each output, frames by the names in 'samples'";
  } else if (const Tensor* numbers = array_named(npz, "frames")) {
    EP_TRY(const auto list, whole_numbers(*numbers));
    for (const std::int64_t number : list) {
      const auto at = std::lower_bound(target.frames().begin(), target.frames().end(), number);
      places.push_back(at != target.frames().end() && *at == number
                           ? std::optional(static_cast<std::size_t>(at - target.frames().begin()))
                           : std::nullopt);
      if (!places.back() && golden.strangers++ == 0)
        golden.stranger = "frame " + std::to_string(number);
    }
    golden.layout = "one array for each output, frames by the numbers in 'frames'";
  } else {
    if (rows != target.frames().size())
      return Error{ErrorKind::kUsage,
                   "it has " + std::to_string(rows) + " frames, the target " +
                       std::to_string(target.frames().size()) +
                       "; add a list of sample names called 'samples' to say which they are"};
    for (std::size_t i = 0; i < rows; ++i) places.emplace_back(i);
    golden.layout = "one array for each output, frames in the target's order";
  }
  if (places.size() != rows)
    return Error{ErrorKind::kUsage, "it names " + std::to_string(places.size()) +
                                        " frames, but its outputs have " + std::to_string(rows)};
  return places;
}

Result<Golden> from_outputs(const Npz& npz, const std::vector<TensorSpec>& outputs,
                            const Frames& frames) {
  std::vector<std::string> names;
  for (const TensorSpec& output : outputs) names.push_back(output.name);
  std::vector<std::pair<const TensorSpec*, const Tensor*>> pairs;
  for (const Tensor& array : npz.arrays) {
    if (other_key(array.spec.name)) continue;
    std::string key = array.spec.name;
    if (key.starts_with("model_output/")) key.erase(0, std::strlen("model_output/"));
    const auto at = std::find(names.begin(), names.end(), key);
    const bool nameless = key == "arr_0" && outputs.size() == 1 && at == names.end();
    if (at == names.end() && !nameless) {
      const std::string near = closest_match(key, names);
      return Error{ErrorKind::kUsage,
                   "'" + sanitized(array.spec.name) +
                       "' is neither an output nor a sample of the target" +
                       (near.empty() ? "" : "; did you mean '" + sanitized(near) + "'?") +
                       (near.empty() && !names.empty()
                            ? "; its outputs are such as '" + sanitized(names[0], 60) + "'"
                            : "") +
                       (near.empty() ? frames.example() : "")};
    }
    pairs.emplace_back(&outputs[nameless ? 0 : static_cast<std::size_t>(at - names.begin())],
                       &array);
  }
  if (pairs.empty())
    return Error{
        ErrorKind::kUsage,
        "it contains no output of the target" +
            std::string(names.empty() ? "" : ", such as '" + sanitized(names[0], 60) + "'")};
  Golden golden;
  const Shape& first = pairs[0].second->spec.shape;
  const std::size_t rows = first.empty() ? 0 : static_cast<std::size_t>(first[0]);
  EP_TRY(auto places, row_frames(npz, rows, frames, golden));
  std::set<std::size_t> taken;
  for (std::size_t i = 0; i < places.size(); ++i)
    if (const auto place = places[i]; place && !taken.insert(*place).second)
      return Error{ErrorKind::kUsage, "row " + std::to_string(i) + " is for " +
                                          frames.title(*place) +
                                          ", as an earlier one; expected one row a frame"};
  std::vector<std::int64_t> labels;
  if (const Tensor* list = array_named(npz, "labels")) {
    EP_TRY(auto numbers, whole_numbers(*list));
    if (numbers.size() != rows)
      return Error{ErrorKind::kUsage, "it has " + std::to_string(numbers.size()) +
                                          " labels, but its outputs have " + std::to_string(rows) +
                                          " frames"};
    labels = std::move(numbers);
  }
  for (const auto& [output, array] : pairs) {
    if (array->spec.shape.empty() || static_cast<std::size_t>(array->spec.shape[0]) != rows ||
        rows == 0)
      return Error{ErrorKind::kUsage, "'" + sanitized(array->spec.name) + "' has the shape " +
                                          to_text(array->spec.shape) + ", expected " +
                                          std::to_string(rows) + " frames in its first dimension"};
    EP_TRY(auto spec,
           row_spec(*output, array->spec.dtype, *element_count(array->spec.shape) / rows));
    Rows made{std::move(spec), {}};
    const std::size_t size = array->bytes.size() / rows;
    for (std::size_t i = 0; i < rows; ++i)
      if (places[i]) made.values.push_back(ByteView(array->bytes).sub(i * size, size));
    golden.outputs.push_back(std::move(made));
  }
  for (std::size_t i = 0; i < rows; ++i) {
    if (!places[i]) continue;
    golden.frames.push_back(*places[i]);
    golden.labels.push_back(i < labels.size() && labels[i] >= 0 && labels[i] <= 1'000'000'000
                                ? std::optional(static_cast<int>(labels[i]))
                                : std::nullopt);
  }
  return golden;
}

// Golden values must be finite: with NaN, every comparison would be "differs" without a reason.
Status all_finite(const Golden& golden, const Frames& frames) {
  for (const Rows& output : golden.outputs) {
    if (!is_float(output.spec.dtype)) continue;
    for (std::size_t i = 0; i < output.values.size(); ++i) {
      EP_TRY(const auto values, to_float(TensorView{output.spec, output.values[i]}));
      const auto bad =
          std::find_if(values.begin(), values.end(), [](float v) { return !std::isfinite(v); });
      if (bad != values.end())
        return Error{ErrorKind::kCorrupt, "'" + sanitized(output.spec.name, 60) + "' of " +
                                              frames.title(golden.frames[i]) + ": value " +
                                              std::to_string(bad - values.begin()) + " is " +
                                              number(*bad) + "; golden outputs must be finite"};
    }
  }
  return {};
}

Status write(const Golden& golden, const Frames& frames, const std::string& file,
             const std::string& sha256, const std::filesystem::path& path) {
  EP_TRY(auto writer, trace::Writer::open(path, {}, true));
  EP_CHECK(writer.metadata(
      "edgeprobe.run",
      {{"tool", "edgeprobe"}, {"level", "io"}, {"golden", file}, {"golden_sha256", sha256}}));
  std::vector<trace::ChannelId> ids;
  for (std::size_t o = 0; o < golden.outputs.size(); ++o) {
    trace::Channel channel;
    channel.stage = Stage::kModelOutput;
    channel.spec = golden.outputs[o].spec;
    channel.position = static_cast<std::int32_t>(o);
    EP_TRY(auto id, writer.add_channel(channel));
    ids.push_back(id);
  }
  for (std::size_t i = 0; i < golden.frames.size(); ++i) {
    trace::FrameRecord record = frames.target().records()[golden.frames[i]];
    for (std::size_t o = 0; o < ids.size(); ++o)
      EP_CHECK(writer.write(ids[o], record.frame, record.time_ns, golden.outputs[o].values[i]));
    if (i < golden.labels.size() && golden.labels[i]) record.label = golden.labels[i];
    record.latency_ns.reset();
    EP_CHECK(writer.frame(record));
  }
  const auto closed = writer.close();
  return closed ? Status() : Status(closed.error());
}

}  // namespace

Result<GoldenReport> golden_trace(const std::filesystem::path& file, const trace::Reader& target,
                                  const std::filesystem::path& trace) {
  const std::string title = "golden outputs '" + sanitized(file.string(), 300) + "'";
  const auto outputs = outputs_of(target);
  if (outputs.empty())
    return Error{
        ErrorKind::kUsage,
        title + ": the target's trace contains no model output; record it with --level io"};
  const bool csv = file.extension() == ".csv";
  if (!csv && file.extension() != ".npz")
    return Error{ErrorKind::kUsage, title + ": expected a file that ends in .npz or .csv"};
  const auto bytes = read_file(file, csv ? kMostCsvBytes : kMostNpzBytes);
  if (!bytes) return Error(bytes.error()).during("golden outputs");
  const Frames frames(target);
  Result<Golden> golden = Error{};
  ScoreTable table;
  Npz npz;
  if (csv) {
    auto parsed = parse_scores(ByteView(*bytes).text());
    if (!parsed) return std::move(parsed.error()).during(title);
    table = *std::move(parsed);
    golden = from_table(table, outputs, frames);
  } else {
    auto parsed = parse_npz(*bytes);
    if (!parsed) return std::move(parsed.error()).during(title);
    npz = *std::move(parsed);
    const bool by_sample =
        std::any_of(npz.arrays.begin(), npz.arrays.end(),
                    [&](const Tensor& array) { return frames.find(array.spec.name).has_value(); });
    golden = by_sample ? from_samples(npz, outputs, frames) : from_outputs(npz, outputs, frames);
  }
  if (!golden) return std::move(golden.error()).during(title);
  if (golden->frames.empty())
    return Error{ErrorKind::kUsage, title + ": none of its samples is in the target, e.g. '" +
                                        sanitized(golden->stranger, 60) + "'" + frames.example()};
  if (auto finite = all_finite(*golden, frames); !finite)
    return std::move(finite.error()).during(title);
  GoldenReport report;
  report.frames = golden->frames.size();
  report.layout = golden->layout;
  report.sha256 = sha256(*bytes);
  for (const Rows& output : golden->outputs) report.outputs.push_back(output.spec.name);
  if (golden->strangers > 0)
    report.warnings.push_back(std::to_string(golden->strangers) +
                              " samples of the golden outputs are not in the target, e.g. '" +
                              sanitized(golden->stranger, 60) + "'");
  if (report.frames < target.frames().size())
    report.warnings.push_back(std::to_string(target.frames().size() - report.frames) + " of " +
                              std::to_string(target.frames().size()) +
                              " frames of the target have no golden outputs");
  if (auto done = write(*golden, frames, file.filename().string(), report.sha256, trace); !done)
    return std::move(done.error()).during(title);
  return report;
}

}  // namespace edgeprobe::compare
