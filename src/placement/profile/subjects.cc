// SPDX-License-Identifier: Apache-2.0
#include "placement/profile/subjects.h"

#include <algorithm>
#include <cctype>

#include "core/csv.h"
#include "core/file.h"
#include "core/text.h"
#include "stretch/plan.h"

namespace edgeprobe::placement {
namespace {

namespace fs = std::filesystem;

/// Files of networks are smaller.
constexpr std::size_t kMostYamlBytes = 1'000'000;

constexpr const char* kModels[] = {".onnx", ".tflite"};

bool is_model(const fs::path& path) {
  return std::find(std::begin(kModels), std::end(kModels), path.extension()) != std::end(kModels);
}

/// A name in this case selects no engine (docs/reference/engines.md).
bool is_model_in_capitals(const fs::path& path) {
  std::string name = path.extension().string();
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return !is_model(path) && is_model("model" + name);
}

/// "" if the file is meant to be a plan, valid or not; if not, the reason: "is not a plan".
std::string no_plan(const fs::path& path) {
  const auto text = read_file(path, stretch::kMostPlanBytes);
  if (!text) return "cannot be read (" + text.error().what + ")";
  return ByteView(*text).text().find("\"edgeprobe_plan\"") == std::string_view::npos
             ? "is not a plan"
             : "";
}

bool is_yaml(const fs::path& path) {
  return path.extension() == ".yaml" || path.extension() == ".yml";
}

/// True for a file that is meant to be the configuration of a network, valid or not: scenarios and
/// device files are YAML, too.
bool is_configuration(const fs::path& path) {
  if (!is_yaml(path)) return false;
  const auto text = read_file(path, kMostYamlBytes);
  if (!text) return true;  // The reader says why.
  for (const std::string_view line : lines_of(ByteView(*text).text()))
    for (const char* const key : {"family:", "ANYNET:", "MODEL:"})
      if (line.starts_with(key)) return true;
  return false;
}

fs::path model_beside(const fs::path& plan) {
  for (const char* const extension : kModels) {
    fs::path model = plan;
    model.replace_extension(extension);
    std::error_code failure;
    if (fs::is_regular_file(model, failure)) return model;
  }
  return {};
}

Error wrong(const fs::path& path, const std::string& why) {
  return {ErrorKind::kUsage, "'" + sanitized(path.string(), 400) + "' " + why};
}

}  // namespace

Result<std::vector<Subject>> subjects_in(const fs::path& path, const fs::path& model,
                                         const std::function<void(const std::string&)>& note) {
  const auto subject = [&](const fs::path& file, std::string cfg) {
    if (is_model(file)) return Subject{std::move(cfg), file, {}};
    if (is_yaml(file)) return Subject{std::move(cfg), {}, {}, file};
    const fs::path beside = model_beside(file);
    return Subject{std::move(cfg), beside.empty() ? model : beside, file};
  };
  std::error_code failure;
  const fs::file_status status = fs::status(path, failure);
  if (!fs::exists(status)) return wrong(path, "does not exist; name a folder, a model or a plan");
  if (!fs::is_directory(status)) {
    // A file that the user names is taken at its word; the reader says what is wrong with it.
    if (!is_model(path) && !is_yaml(path) && !no_plan(path).empty())
      return wrong(path,
                   "is not a folder, an .onnx or .tflite file, a plan of 'stretch plan', or a "
                   "network's .yaml configuration");
    return std::vector<Subject>{subject(path, path.filename().string())};
  }
  std::vector<Subject> subjects;
  fs::recursive_directory_iterator at(path, failure);
  if (failure) return wrong(path, "cannot be read: " + failure.message());
  for (; at != fs::recursive_directory_iterator(); at.increment(failure)) {
    const fs::path& file = at->path();
    const std::string cfg = file.lexically_relative(path).generic_string();
    const auto leave_out = [&](const std::string& why) {
      note("'" + sanitized(cfg, 300) + "' " + why + "; left out");
    };
    const bool is_json = file.extension() == ".json";
    std::error_code gone;
    if (at->is_directory(gone) && !at->is_symlink(gone)) {
      // An iterator that meets an unreadable folder stops and loses all that follows.
      const fs::directory_iterator opened(file, gone);
      if (!gone) continue;
      leave_out("cannot be read: " + gone.message());
      at.disable_recursion_pending();
    } else if (!at->is_regular_file(gone)) {
      if (is_model(file) || is_json) leave_out("is not a regular file, or is a broken link");
    } else if (is_model(file) || is_configuration(file)) {
      subjects.push_back(subject(file, cfg));
    } else if (is_json) {
      const std::string why = no_plan(file);
      if (why.empty()) subjects.push_back(subject(file, cfg));
      else leave_out(why);
    } else if (is_model_in_capitals(file)) {
      leave_out("does not end in .onnx or .tflite, in small letters");
    }
  }
  if (failure) return wrong(path, "cannot be read: " + failure.message());
  if (subjects.empty())
    return wrong(path,
                 "contains no .onnx or .tflite file, no plan of 'stretch plan' and no network's "
                 ".yaml configuration");
  std::sort(subjects.begin(), subjects.end(),
            [](const Subject& a, const Subject& b) { return a.cfg < b.cfg; });
  return subjects;
}

}  // namespace edgeprobe::placement
