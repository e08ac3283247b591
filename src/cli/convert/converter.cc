// SPDX-License-Identifier: Apache-2.0
#include "cli/convert/converter.h"

#include <fcntl.h>
#include <sys/file.h>

#include <nlohmann/json.hpp>

#include "cli/convert/cache_folder.h"
#include "cli/convert/tool_process.h"
#include "core/descriptor.h"
#include "core/file.h"
#include "core/text.h"
#include "pipeline/user_function.h"

namespace edgeprobe::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

struct Tool {
  const char* name;  ///< Of its requirements file.
  const char* what;
  const char* size;  ///< Of what is fetched.
};
const Tool& tool_of(const Conversion& wanted) {
  static constexpr Tool kOnnxRuntime{"onnxruntime", "ONNX Runtime's quantizer", "60 MB"},
      kQuantizer{"quantizer", "ai-edge-quantizer", "90 MB"},
      kOpenVino{"openvino", "OpenVINO", "80 MB"}, kTvm{"tvm", "TVM", "140 MB"};
  if (wanted.to == "openvino") return kOpenVino;
  if (wanted.to == "tvm") return kTvm;
  return wanted.format == "onnx" ? kOnnxRuntime : kQuantizer;
}

Result<fs::path> package_folder() {
  std::error_code ignored;
  for (const fs::path& child : pipeline::child_scripts())
    if (const fs::path folder = child.parent_path() / "convert";
        fs::exists(folder / "main.py", ignored))
      return folder;
  return Error{Fault::kNotFound,
               "the Python part of edgeprobe, which holds the converters, is not installed"};
}

/// A tool's run that must end well; `doing` starts its sentence.
Result<ToolRun> must(const std::vector<std::string>& words, const std::string& doing,
                     Terminal& terminal) {
  auto run = run_tool(words, "", terminal.stop);
  if (!run) return std::move(run).error().during(doing);
  if (run->exit_code != 0)
    return Error{Fault::kTarget,
                 doing + " failed" + (run->last_words.empty() ? "" : ": " + run->last_words)};
  return run;
}

/// The interpreter of the tool's environment, which is made first when it is missing.
Result<std::string> environment(const Tool& tool, const fs::path& package, Terminal& terminal) {
  const fs::path wanted = package / (std::string("requirements-") + tool.name + ".txt");
  const auto pins = read_file(wanted);
  if (!pins) return pins.error();
  // Other pins are another environment.
  const auto cache = private_cache_folder();
  if (!cache) return cache.error();
  const fs::path folder =
      *cache / (std::string("convert-") + tool.name + "-" + sha256(*pins).substr(0, 12));
  const std::string interpreter = (folder / "bin/python").string();
  std::error_code failed;
  // Two conversions at once must not build the same environment.
  const Descriptor lock(
      ::open((folder.string() + ".lock").c_str(), O_CREAT | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (lock.get() < 0 || ::flock(lock.get(), LOCK_EX) != 0)
    return Error{Fault::kTarget,
                 "'" + printable(folder.string(), 300) +
                     ".lock' cannot be locked: another conversion may be preparing"};
  if (fs::exists(folder / "ready", failed)) {
    if (auto good = check_private(folder); !good) return std::move(good.error());
    return interpreter;
  }
  terminal.err << "preparing " << tool.what << " in " << printable(folder.string(), 300)
               << " (about " << tool.size << " are fetched, once)\n";
  fs::remove_all(folder, failed);
  auto version = must({"python3", "-c", "import sys; print('%d.%d' % sys.version_info[:2])"},
                      "asking python3 for its version", terminal);
  if (!version) return std::move(version).error();
  if (version->output != "3.11\n")
    return Error{Fault::kUnsupported,
                 "the pinned packages of " + std::string(tool.what) +
                     " are made for Python 3.11, python3 is " +
                     printable(version->output.substr(0, version->output.find('\n'))) +
                     "; name a Python that has them with --python"};
  if (auto made =
          must({"python3", "-m", "venv", folder.string()}, "making a Python environment", terminal);
      !made)
    return std::move(made).error();
  auto fetched =
      must({interpreter, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
            "--no-input", "--only-binary=:all:", "--no-deps", "--require-hashes", "--retries", "2",
            "-r", wanted.string()},
           "fetching " + std::string(tool.what), terminal);
  if (!fetched) {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
    Error error = std::move(fetched).error();
    if (error.fault != Fault::kInterrupted)
      error.what += " (is there no network? A Python that has the packages of '" +
                    printable(wanted.filename().string()) + "' can be named with --python)";
    return error;
  }
  if (auto marked = write_file(folder / "ready", view_of("ready\n")); !marked)
    return std::move(marked).error();
  return interpreter;
}

ordered_json to_json(const std::vector<TensorSpec>& specs) {
  auto list = ordered_json::array();
  for (const TensorSpec& spec : specs)
    list.push_back({{"name", spec.name},
                    {"dtype", name(spec.dtype)},
                    {"shape", spec.shape},
                    {"scale", spec.quantization.scale},
                    {"zero_point", spec.quantization.zero_point},
                    {"axis", spec.quantization.axis}});
  return list;
}

std::string request_of(const Conversion& wanted) {
  std::error_code ignored;
  ordered_json request{{"to", wanted.to},
                       {"format", wanted.format},
                       {"model", fs::absolute(wanted.model, ignored).string()},
                       {"out", fs::absolute(wanted.out, ignored).string()},
                       {"inputs", to_json(wanted.inputs)},
                       {"outputs", to_json(wanted.outputs)},
                       {"calibration", nullptr}};
  if (!wanted.calibration.empty())
    request["calibration"] = {{"file", wanted.calibration.string()},
                              {"frames", wanted.frames},
                              {"name", wanted.inputs.front().name},
                              {"dtype", name(wanted.inputs.front().dtype)},
                              {"shape", wanted.inputs.front().shape}};
  return request.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace

Result<Converted> convert(const Conversion& wanted, const std::string& python, Terminal& terminal) {
  const Tool& tool = tool_of(wanted);
  const auto package = package_folder();
  if (!package) return package.error();
  auto interpreter =
      python.empty() ? environment(tool, *package, terminal) : Result<std::string>(python);
  if (!interpreter) return std::move(interpreter).error();
  terminal.err << "converting with " << tool.what << "\n";
  // -P: a file beside main.py must not stand in for a package.
  const auto run = run_tool({*interpreter, "-P", (*package / "main.py").string()},
                            request_of(wanted), terminal.stop);
  if (!run) return run.error();
  const auto end = run->output.find_last_not_of('\n');
  const auto start = end == std::string::npos ? std::string::npos : run->output.rfind('\n', end);
  const auto answer = ordered_json::parse(
      run->output.substr(start == std::string::npos ? 0 : start + 1), nullptr, false);
  if (answer.is_object() && answer.contains("error") && answer["error"].is_string())
    return Error{Fault::kTarget, std::string(tool.what) + " cannot convert it: " +
                                     printable(answer["error"].get<std::string>(), 600)};
  if (run->exit_code != 0 || !answer.is_object() || !answer.contains("tool") ||
      !answer["tool"].is_string())
    return Error{Fault::kTarget,
                 std::string(tool.what) + " ended without an answer" +
                     (run->last_words.empty() ? "" : "; it last said: " + run->last_words)};
  Converted converted;
  converted.tool = printable(answer["tool"].get<std::string>());
  for (const auto& note : answer.value("notes", ordered_json::array()))
    if (note.is_string()) converted.notes.push_back(printable(note.get<std::string>(), 400));
  return converted;
}

}  // namespace edgeprobe::cli
