// SPDX-License-Identifier: Apache-2.0
#include "cli/convert/calibration.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "cli/options/data_flags.h"
#include "core/file.h"
#include "core/text.h"
#include "pipeline/prepare.h"

namespace edgeprobe::cli {
namespace {

constexpr std::size_t kLargestList = std::size_t{16} << 20;

std::string text_of(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

Result<std::vector<dataset::Sample>> listed_samples(const std::string& list, const DataFlags& data,
                                                    const std::vector<dataset::Sample>& test) {
  const auto bytes = read_file(list, kLargestList);
  if (!bytes) return Error(bytes.error()).during("--calibration");
  // Names are enough; --frames and the split concern the check.
  DataFlags all = data;
  all.labels.clear();
  all.classes.clear();
  EP_TRY(const auto samples, all_samples(all));
  std::map<std::string, const dataset::Sample*> by_name;
  for (const dataset::Sample& sample : samples) by_name[sample.name] = &sample;

  std::set<std::string> tested;
  for (const dataset::Sample& sample : test) tested.insert(sample.name);

  std::vector<dataset::Sample> found;
  std::istringstream lines(text_of(*bytes));
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    if (line.empty() || line.front() == '#') continue;
    const auto at = by_name.find(line);
    if (at == by_name.end())
      return Error{ErrorKind::kUsage, "--calibration '" + sanitized(list, 200) + "', line " +
                                          std::to_string(number) + ": '" + sanitized(line, 200) +
                                          "' is not a sample of --data"};
    if (tested.count(line) > 0)
      return Error{ErrorKind::kUsage, "--calibration '" + sanitized(list, 200) + "', line " +
                                          std::to_string(number) + ": '" + sanitized(line, 200) +
                                          "' is a sample of the test, which may not calibrate"};
    found.push_back(*at->second);
  }
  if (found.empty())
    return Error{ErrorKind::kUsage,
                 "--calibration '" + sanitized(list, 200) +
                     "' names no sample: expected one name a line, relative to --data"};
  return found;
}

Result<CalibrationPool> calibration_pool(const DataFlags& data,
                                         const std::vector<dataset::Sample>& checked,
                                         Terminal& terminal) {
  if (!data.split.is_given()) return CalibrationPool{checked, {}};
  EP_TRY(auto parts, parts_from(data, terminal));
  return CalibrationPool{std::move(parts.train), std::move(parts.test)};
}

Status check_float(const std::vector<TensorSpec>& inputs) {
  if (std::none_of(inputs.begin(), inputs.end(),
                   [](const TensorSpec& input) { return input.dtype == DType::kFloat32; }))
    return Error{ErrorKind::kUsage, "the source takes " + std::string(name(inputs.front().dtype)) +
                                        "; a float model is what can be quantised"};
  return {};
}

Result<std::size_t> write_calibration(pipeline::Pipeline& pipeline,
                                      const std::vector<dataset::Sample>& samples,
                                      const std::filesystem::path& file, Terminal& terminal) {
  std::ofstream out(file, std::ios::binary);
  std::size_t written = 0;
  std::string why;
  for (const dataset::Sample& sample : samples) {
    if (terminal.stopped()) return interrupted();
    const auto loaded = sample.load();
    auto prepared =
        loaded ? pipeline::prepare(pipeline, loaded->input, sample.name, terminal.control())
               : Result<pipeline::Prepared>(loaded.error());
    if (!prepared) {
      why = prepared.error().what;
      terminal.err << "left out: " << sanitized(why, 300) << "\n";
      continue;
    }
    for (const Tensor& input : prepared->inputs)
      out.write(reinterpret_cast<const char*>(input.bytes.data()),
                static_cast<std::streamsize>(input.bytes.size()));
    ++written;
  }
  out.flush();
  if (!out)
    return Error{ErrorKind::kLimit,
                 "the calibration values cannot be written: the disk may be full"};
  if (written == 0)
    return Error{ErrorKind::kUsage, "no sample of --data could be used for calibration" +
                                        (why.empty() ? "" : ": " + why)};
  return written;
}

Result<std::string> keep_float_from(const std::string& file, model::Format format) {
  const auto bytes = read_file(file, kLargestList);
  if (!bytes) return Error(bytes.error()).during("--keep-float");
  std::string text = text_of(*bytes);
  const auto list = nlohmann::json::parse(text, nullptr, false);
  const bool onnx = format == model::Format::kOnnx;
  bool good = list.is_array();
  for (std::size_t i = 0; good && i < list.size(); ++i)
    good = onnx ? list[i].is_string() : list[i].is_object();
  if (!good)
    return Error{ErrorKind::kUsage,
                 "--keep-float '" + sanitized(file, 200) + "': expected " +
                     (onnx ? "a JSON list of node names (for an .onnx model)"
                           : "a recipe of ai-edge-quantizer, a JSON list (for a .tflite model)")};
  return text;
}

}  // namespace edgeprobe::cli
