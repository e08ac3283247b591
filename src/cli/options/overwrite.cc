// SPDX-License-Identifier: Apache-2.0
#include "cli/options/overwrite.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "cli/options/data_flags.h"
#include "cli/options/pipeline_flags.h"
#include "core/file.h"
#include "core/text.h"

namespace edgeprobe::cli {
namespace {

namespace fs = std::filesystem;

bool is_same_file(const std::string& a, const std::string& b) {
  // A recipe may be text, which is longer than any file name.
  if (b.size() > 4096) return false;
  std::error_code failure;
  if (fs::equivalent(a, b, failure) && !failure) return true;
  // A file that does not exist yet has no inode.
  return fs::weakly_canonical(a, failure) == fs::weakly_canonical(b, failure) && !failure;
}

Error refused(const OutputFile& output, const std::string& why) {
  return {ErrorKind::kUsage, std::string(output.flag) + " '" + sanitized(output.path, 400) +
                                 "': " + why + "; name another file"};
}

/// How our JSON texts begin: the first key, and another one close to it.
struct Keys {
  std::string_view first, next;
};
constexpr Keys kReports[] = {
    {"schema_version", "verdict"},             // check, diagnose
    {"schema_version", "outcome"},             // compare, contract check
    {"schema_version", "file"},                // inspect
    {"schema_version", "folder"},              // report
    {"schema_version", "latency"},             // stretch explain
    {"schema_version", "machine"},             // stretch table
    {"schema_version", "profiles"},            // stretch profile
    {"schema_version", "evaluations"},         // stretch evaluate
    {"best", "history"},                       // train, stretch train
    {"edgeprobe_plan", "model"},               // stretch plan, stretch search
    {"answer", "branches"},                    // stretch search --json
    {"answers", "edgeprobe_contract"},         // contract learn, of apps with answers
    {"assertions", "edgeprobe_contract"},      // contract learn
    {"model", "floor"},                        // matrix
    {"model", "to"},                           // convert
    {"onnx_conversion", "edgeprobe"},          // onnx-conversion
    {"model", "own_outputs"},                  // instrument
    {"file", "file_bytes"},                    // trace info
    {"file", "incomplete_frames"},             // trace receive
    {"trace", "frames"},                       // run, replay
    {"recipe", "steps"},                       // recipe show
    {"engines", "works"},                      // doctor
    {"meters", "value"},                       // doctor --meters
    {"processors", "clusters"},                // doctor --processors
    {"edgeprobe_bench", "edgeprobe_version"},  // bench
    {"edgeprobe_bench_diff", "threshold"},     // bench diff
    {"otherData", "edgeprobe"},                // bench --perfetto
    {"edgeprobe", "not_measured"},             // measurements --measurements
    {"measurements_report", "version"},        // measurements
    {"$schema", "edgeprobe_rulings"},          // --sarif
    {"edgeprobe_node_data", "thresholds"},     // --node-data
};
/// Beginning of a --junit file.
constexpr std::string_view kJUnit = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- edgeprobe ";
/// Beginning of a measurement chart, and end of the measurement report.
constexpr std::string_view kChart = "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"measured\"",
                           kLastLine = "\nMade by edgeprobe.\n";
/// Beginning of an --annotations file.
constexpr std::string_view kAnnotations[] = {"::error file=", "::warning file=", "::notice file="};
/// Beginning of a stretch profile table.
constexpr std::string_view kTable = "cfg,latency,";
/// More than two file names of maximal length.
constexpr std::size_t kHead = 16384;
/// A page's footer, and the script after it.
constexpr std::size_t kTail = 4096;

bool has_key(std::string_view text, std::string_view key) {
  return text.find('"' + std::string(key) + "\":") != std::string_view::npos;
}

bool is_json_of_ours(std::string_view head) {
  if (head.empty() || head[0] != '{') return false;
  head.remove_prefix(std::min(head.find_first_not_of(" \n", 1), head.size()));
  for (const Keys& keys : kReports)
    if (head.starts_with('"' + std::string(keys.first) + "\":") && has_key(head, keys.next))
      return true;
  return false;
}

/// True if a text may replace what is at `path`: nothing, an empty file, or a text written by one
/// of our verbs.
bool may_replace(const std::string& path) {
  std::error_code failure;
  // A device or pipe is not replaced but written to.
  if (!fs::is_regular_file(path, failure) || fs::file_size(path, failure) == 0) return true;
  std::ifstream file(path, std::ios::binary);
  std::string head(kHead, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  if (is_json_of_ours(head) || head.starts_with(kJUnit) || head.starts_with(kChart) ||
      head.starts_with(kTable) ||
      std::any_of(std::begin(kAnnotations), std::end(kAnnotations),
                  [&](std::string_view begin) { return head.starts_with(begin); }))
    return true;
  const std::uintmax_t size = fs::file_size(path, failure);
  if (failure) return false;
  file.clear();
  file.seekg(static_cast<std::streamoff>(size - std::min<std::uintmax_t>(size, kTail)));
  std::string tail(kTail, '\0');
  file.read(tail.data(), static_cast<std::streamsize>(tail.size()));
  if (head.starts_with("<!doctype html>"))
    return tail.find("<footer>Made by edgeprobe.") != std::string::npos;
  return tail.substr(0, static_cast<std::size_t>(file.gcount())).ends_with(kLastLine);
}

}  // namespace

Status check_forced(const OutputFile& output) {
  if (output.path.empty() || may_replace(output.path)) return {};
  return refused(output, "is not a file that edgeprobe wrote, and --force replaces no other");
}

Status check_outputs(const std::vector<OutputFile>& outputs,
                     const std::vector<std::string>& inputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    std::error_code failure;
    if (outputs[i].path.empty() || fs::is_character_file(outputs[i].path, failure)) continue;
    for (const std::string& input : inputs)
      if (!input.empty() && is_same_file(outputs[i].path, input))
        return refused(outputs[i], "this file is read as well, and writing would destroy it");
    for (std::size_t other = 0; other < i; ++other)
      if (!outputs[other].path.empty() && is_same_file(outputs[i].path, outputs[other].path))
        return refused(outputs[i],
                       std::string("it is what ") + outputs[other].flag + " writes, too");
  }
  return {};
}

std::vector<std::string> files_of(const PipelineFlags& flags) {
  return {flags.model, flags.recipe, flags.function.substr(0, flags.function.rfind(':')),
          flags.tokenizer, flags.tokenizer.substr(0, flags.tokenizer.rfind(':'))};
}

std::vector<std::string> files_of(const DataFlags& flags) {
  return {flags.data, flags.labels, flags.classes};
}

Status check_texts(const std::vector<OutputFile>& texts, const std::vector<std::string>& inputs) {
  EP_CHECK(check_outputs(texts, inputs));
  for (const OutputFile& text : texts) {
    if (text.path.empty()) continue;
    if (auto good = check_writable(text.path); !good)
      return std::move(good.error()).during(text.flag);
    if (!may_replace(text.path))
      return refused(
          text,
          "the existing file is not an older report of edgeprobe, and nothing else is overwritten");
  }
  return {};
}

}  // namespace edgeprobe::cli
