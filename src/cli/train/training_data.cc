// SPDX-License-Identifier: Apache-2.0
#include "cli/train/training_data.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "cli/terminal/progress.h"
#include "core/text.h"
#include "dataset/labels.h"
#include "dataset/sources.h"

namespace edgeprobe::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

/// Names of the classes: those of --classes, with folders the folders' names, else numbers.
Result<std::vector<std::string>> class_names(const DataFlags& data,
                                             const std::vector<dataset::Sample>& samples) {
  EP_TRY(auto stated, class_names_from(data));
  if (!stated.empty()) return stated;
  std::map<int, std::string> names;
  for (const dataset::Sample& sample : samples)
    if (const auto* label =
            sample.annotation ? std::get_if<task::ClassLabel>(&*sample.annotation) : nullptr)
      names.emplace(label->index, data.labels == "folders"
                                      ? sample.name.substr(0, sample.name.find('/'))
                                      : std::to_string(label->index));
  std::vector<std::string> all;
  for (const auto& [index, name] : names) {
    while (static_cast<int>(all.size()) < index) all.push_back(std::to_string(all.size()));
    all.push_back(name);
  }
  return all;
}

/// Puts samples of one class into the preparation; names those that have none.
void add_part(Preparation& preparation, const std::vector<dataset::Sample>& samples,
              dataset::Part part) {
  for (const dataset::Sample& sample : samples) {
    const auto* const label =
        sample.annotation ? std::get_if<task::ClassLabel>(&*sample.annotation) : nullptr;
    if (!label) {
      preparation.left_out.push_back(
          {sample.name, sample.annotation ? "its label is not one class" : "it has no label"});
      continue;
    }
    const auto hash = dataset::content_hash(sample);
    if (!hash) {
      preparation.left_out.push_back({sample.name, hash.error().what});
      continue;
    }
    preparation.samples.push_back({sample, part, label->index, *hash});
  }
}

/// kUsage for fewer than two classes, and for a class that training would never see.
Status check_classes(const Preparation& preparation) {
  const std::size_t count = preparation.classes.size();
  if (preparation.samples.empty())
    return Error{ErrorKind::kUsage,
                 "no sample of the data has a class: give --labels (docs/guides/training.md)"};
  if (count < 2)
    return Error{ErrorKind::kUsage,
                 "the data has " + counted(count, "class") + "; a classifier needs at least two"};
  std::vector<std::size_t> trained(count);
  for (const TrainingSample& one : preparation.samples) {
    const auto label = static_cast<std::size_t>(one.label);
    if (one.label < 0 || label >= count)
      return Error{ErrorKind::kUsage, "'" + sanitized(one.sample.name) + "' is of class " +
                                          std::to_string(one.label) + ", and --classes names " +
                                          std::to_string(count)};
    if (one.part == dataset::Part::kTrain) ++trained[label];
  }
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < count; ++i)
    if (trained[i] == 0) missing.push_back("'" + sanitized(preparation.classes[i], 60) + "'");
  if (missing.empty()) return {};
  if (missing.size() > 5) missing.resize(5);
  return Error{ErrorKind::kUsage, "no training sample is of class " + edgeprobe::joined(missing) +
                                      ": the model could never answer it; add samples, or leave "
                                      "the class out"};
}

/// Samples, and the names of the classes if the data has them.
struct Data {
  std::vector<dataset::Sample> samples;
  std::vector<std::string> classes;
};

/// A folder of the data that is a part of it.
struct PartFolder {
  const char* name;
  dataset::Part part;
};
constexpr std::array kPartFolders{PartFolder{"train", dataset::Part::kTrain},
                                  PartFolder{"val", dataset::Part::kValidation},
                                  PartFolder{"test", dataset::Part::kTest}};

bool is_folder(const fs::path& path) {
  std::error_code failed;
  return fs::is_directory(path, failed);
}

/// True for --labels folders and a folder with `train` and `val`, as ImageNet is unpacked.
bool has_part_folders(const DataFlags& flags) {
  return flags.labels == "folders" && is_folder(fs::path(flags.data) / "train") &&
         is_folder(fs::path(flags.data) / "val");
}

/// The folders of one part, in byte order. kUsage if there is none.
Result<std::vector<std::string>> class_folders(const fs::path& part) {
  std::vector<std::string> names;
  std::error_code failed;
  for (auto at = fs::directory_iterator(part, failed); !failed && at != fs::directory_iterator();
       at.increment(failed))
    if (is_folder(at->path())) names.push_back(at->path().filename().string());
  if (failed)
    return Error{ErrorKind::kUsage,
                 "'" + sanitized(part.string(), 300) + "': cannot list: " + failed.message()};
  if (names.empty())
    return Error{ErrorKind::kUsage,
                 "'" + sanitized(part.string(), 300) +
                     "' has no folders: expected one of pictures for each class"};
  std::sort(names.begin(), names.end());
  return names;
}

/// kUsage for folders of a part that training lacks.
Status check_part_classes(const fs::path& part, const std::vector<std::string>& classes,
                          std::vector<std::string>& notes) {
  EP_TRY(const auto there, class_folders(part));
  std::vector<std::string> others, missing;
  std::set_difference(there.begin(), there.end(), classes.begin(), classes.end(),
                      std::back_inserter(others));
  std::set_difference(classes.begin(), classes.end(), there.begin(), there.end(),
                      std::back_inserter(missing));
  const std::string name = part.filename().string();
  if (!others.empty())
    return Error{ErrorKind::kUsage, "'" + name + "' has the class '" + sanitized(others[0], 80) +
                                        "', which 'train' lacks (" + std::to_string(others.size()) +
                                        " such): both need the same folders"};
  if (!missing.empty())
    notes.push_back("'" + name + "' has no pictures of " + std::to_string(missing.size()) +
                    " of the classes, such as '" + sanitized(missing[0], 80) +
                    "': its accuracies are those of the others only");
  return {};
}

Result<Data> data_of_part_folders(const DataFlags& flags, std::vector<std::string>& notes) {
  if (!flags.frames.empty())
    return Error{ErrorKind::kUsage, "--frames: '" + sanitized(flags.data, 200) +
                                        "' has folders for its parts, which are used whole"};
  Data data;
  const fs::path root(flags.data);
  EP_TRY(auto labels, dataset::read_labels("folders", flags.classes));
  if (labels.classes.empty()) {
    EP_TRY(labels.classes, class_folders(root / "train"));
  }
  data.classes = labels.classes;
  auto sorted = data.classes;
  std::sort(sorted.begin(), sorted.end());
  for (const PartFolder& folder : kPartFolders) {
    const fs::path part = root / folder.name;
    if (!is_folder(part)) continue;
    EP_CHECK(check_part_classes(part, sorted, notes));
    EP_TRY(auto samples, dataset::open_folder(part, labels));
    for (dataset::Sample& sample : samples) {
      sample.name = std::string(folder.name) + "/" + sample.name;
      sample.part = folder.part;
      data.samples.push_back(std::move(sample));
    }
  }
  return data;
}

Result<Data> data_of(const DataFlags& flags, std::vector<std::string>& notes) {
  if (has_part_folders(flags)) return data_of_part_folders(flags, notes);
  Data data;
  DataFlags whole = flags;
  whole.split = {};
  EP_TRY(data.samples, samples_from(whole, &notes));
  EP_TRY(data.classes, class_names(flags, data.samples));
  return data;
}

}  // namespace

Result<Preparation> training_data(const DataFlags& flags, ordered_json& split, Terminal& terminal) {
  EP_CHECK(download_if_asked(flags, terminal));
  std::vector<std::string> notes;
  EP_TRY(auto data, data_of(flags, notes));
  SplitFlags shares = flags.split;
  const bool is_assigned = std::any_of(data.samples.begin(), data.samples.end(),
                                       [](const auto& sample) { return sample.part.has_value(); });
  // A run without validation could not tell its best epoch.
  if (shares.validation.empty() && (shares.has_shares() || !is_assigned)) shares.validation = "0.1";
  split = {{"assigned_by_data", is_assigned && !shares.has_shares()},
           {"test", shares.test},
           {"validation", shares.validation},
           {"seed", shares.seed}};
  EP_TRY(const auto parts, [&] {
    Progress progress(terminal, "splitting");
    return parts_of(data.samples, shares, &notes, {terminal.stop, progress.callback()});
  }());
  for (const std::string& note : notes) terminal.err << "warning: " << note << "\n";
  Preparation preparation;
  preparation.left_out = parts.unreadable;
  add_part(preparation, parts.train, dataset::Part::kTrain);
  add_part(preparation, parts.validation, dataset::Part::kValidation);
  add_part(preparation, parts.test, dataset::Part::kTest);
  preparation.classes = std::move(data.classes);
  EP_CHECK(check_classes(preparation));
  return preparation;
}

std::vector<std::pair<const char*, std::string>> data_words(const DataFlags& data) {
  return {{"--labels", data.labels},
          {"--classes", data.classes},
          {"--frames", data.frames},
          {"--split-fraction-test", data.split.test},
          {"--split-fraction-val", data.split.validation},
          {"--split-seed", data.split.seed}};
}

}  // namespace edgeprobe::cli
