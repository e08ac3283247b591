// SPDX-License-Identifier: Apache-2.0
#include "cli/options/data_flags.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>

#include "cli/download/dataset_download.h"
#include "cli/options/values.h"
#include "cli/terminal/progress.h"
#include "core/text.h"
#include "dataset/labels.h"
#include "dataset/layouts/layouts.h"
#include "dataset/sample.h"
#include "dataset/sources.h"
#include "dataset/tables.h"
#include "engine/native/choice.h"
#include "pipeline/inputs/plugin_data.h"
#include "pipeline/inputs/raw_inputs.h"

namespace edgeprobe::cli {
namespace {

std::set<int> classes_of(const std::vector<dataset::Sample>& samples) {
  std::set<int> classes;
  for (const dataset::Sample& sample : samples)
    if (sample.annotation)
      for (const int index : task::classes_of(*sample.annotation)) classes.insert(index);
  return classes;
}

Result<std::vector<dataset::Sample>> open_plugin(const DataFlags& flags,
                                                 const dataset::Labels& labels) {
  const std::string library = engine::native::split_data(flags.data).library;
  const std::vector<std::string> none;
  const auto& named = flags.plugins ? *flags.plugins : none;
  if (!library.empty() && std::find(named.begin(), named.end(), library) == named.end())
    return Error{ErrorKind::kUsage, "--data '" + sanitized(flags.data, 200) +
                                        "' names a library, which is code: give it on the command "
                                        "line as --plugin '" +
                                        sanitized(library, 200) + "', too"};
  EP_TRY(const auto limit, time_limit_from(flags.time_limit_s ? *flags.time_limit_s : 60));
  return pipeline::open_plugin_data(flags.data, {flags.python, limit}, labels);
}

Result<std::vector<dataset::Sample>> opened_data(const DataFlags& flags,
                                                 const dataset::Labels& labels, std::string* note) {
  const std::string& data = flags.data;
  if (pipeline::is_plugin_data(data)) return open_plugin(flags, labels);
  if (data.ends_with(".py"))
    return Error{ErrorKind::kUsage,
                 "--data '" + sanitized(data, 200) +
                     "': name the class of the data set, as FILE.py:CLASS (docs/extending.md)"};
  if (dataset::is_npz_name(data)) return dataset::open_npz(data, labels);
  if (data.ends_with(".mcap")) return pipeline::open_trace(data, labels);
  if (dataset::is_onnx_tests(data)) return dataset::open_onnx_tests(data, labels);
  // A table of numbers is a sensor recording.
  const bool is_table = dataset::is_table_name(data) && dataset::holds_recording(data);
  if (dataset::is_texts_name(data) && !is_table) return dataset::open_texts(data, labels);
  auto samples = dataset::open_folder(data, labels, 0, note);
  if (!samples) samples.error().what += dataset::layout_hint(data);
  return samples;
}

Result<dataset::DataSet> layout_from(const DataFlags& flags) {
  if (!flags.labels.empty())
    return Error{ErrorKind::kUsage, "--labels: --data '" + sanitized(flags.data, 200) +
                                        "' has annotations of its own; leave --labels out"};
  EP_TRY(const auto names, dataset::read_labels("", flags.classes));
  return dataset::open_layout(flags.data, names.classes);
}

/// Those that --frames takes.
std::vector<dataset::Sample> first_or_spread(std::vector<dataset::Sample> all, std::size_t frames,
                                             std::vector<std::string>* warnings) {
  if (frames == 0 || frames >= all.size()) return all;
  if (!all.front().arrays.empty()) {
    all.resize(frames);
    return all;
  }
  std::vector<dataset::Sample> some;
  for (std::size_t i = 0; i < frames; ++i) some.push_back(all[i * all.size() / frames]);
  const std::size_t before = classes_of(all).size(), after = classes_of(some).size();
  if (warnings && after < before)
    warnings->push_back("--frames " + std::to_string(frames) +
                        ": the pictures that were taken are of " + std::to_string(after) +
                        " of the " + std::to_string(before) +
                        " classes; accuracies are those of these classes only");
  return some;
}

void print(const std::vector<std::string>& warnings, Terminal& terminal) {
  for (const std::string& text : warnings) terminal.err << "warning: " << text << "\n";
}

}  // namespace

void add_data(Parser& parser, DataFlags& flags, bool required, const std::string& usual_frames) {
  Argument data =
      parser.option("--data", flags.data,
                    "Folder of .jpg, .png, .bmp pictures and camera frames (cat_640x480.nv12), or "
                    "one of them; or texts: a .txt with one per line, or a .csv with the columns "
                    "text,label; or recorded tensors: FILE.npz with an array named like each "
                    "input, a trace.mcap, or a folder with ONNX's test_data_set_0; or a plug-in: "
                    "FILE.py:CLASS or python:NAME, or LIB.so:NAME of --plugin, with ?OPTION=VALUE; "
                    "or a published layout, KIND:FOLDER: " +
                        joined(dataset::layouts(), ", ",
                               [](const dataset::Layout& one) { return std::string(one.name); }) +
                        " (docs/guides/datasets.md)");
  if (required) data.required();
  parser.option("--labels", flags.labels,
                "Ground truth: a CSV with the columns file,label, COCO's .json, Pascal VOC's .xml "
                "files, an .npz, or the word 'folders' (docs/guides/tasks.md)");
  parser.option("--classes", flags.classes,
                "Class names: one per line, CSV, JSON, YAML, .pbtxt or .tflite (with 'folders': "
                "their order is the index)");
  parser.option(
      "--frames", flags.frames,
      "Use this many samples, evenly spread (of recorded tensors the first ones; default: " +
          usual_frames + ")");
  add_split(parser, flags.split);
  parser.flag("--download-dataset", flags.download,
              "Fetch the data set of --data LAYOUT:FOLDER first, if the folder is empty or a fetch "
              "was stopped (docs/guides/datasets.md)");
}

Result<std::size_t> frames_from(const DataFlags& flags) {
  if (flags.frames.empty()) return std::size_t{0};
  std::uint32_t count = 0;
  const char* const end = flags.frames.data() + flags.frames.size();
  const auto [at, failure] = std::from_chars(flags.frames.data(), end, count);
  if (failure != std::errc{} || at != end || count == 0)
    return Error{ErrorKind::kUsage, "--frames '" + sanitized(flags.frames, 60) +
                                        "': expected a whole number, at least 1 (all without it)"};
  return std::size_t{count};
}

Result<std::vector<dataset::Sample>> samples_from(const DataFlags& flags,
                                                  std::vector<std::string>* warnings,
                                                  const Control& control) {
  EP_TRY(const auto frames, frames_from(flags));
  EP_TRY(const auto part, part_from(flags.split));
  if (flags.data.empty()) {
    if (!flags.labels.empty() || !flags.classes.empty())
      return Error{ErrorKind::kUsage, std::string(flags.labels.empty() ? "--classes" : "--labels") +
                                          " belongs to pictures; give their folder with --data"};
    if (flags.split.is_given())
      return Error{ErrorKind::kUsage, "a split parts the samples of --data, which is not given"};
    return std::vector<dataset::Sample>{};
  }
  EP_TRY(auto all, all_samples(flags, warnings));
  if (part) {
    EP_TRY(const auto parts, parts_of(all, flags.split, warnings, control));
    all = parts.of(*part);
    if (all.empty())
      return Error{ErrorKind::kUsage,
                   std::string("--split ") + name(*part) +
                       ": that part is empty; give its share, e.g. " +
                       (*part == dataset::Part::kValidation ? "--split-fraction-val 0.1"
                                                            : "--split-fraction-test 0.2")};
  }
  auto taken = first_or_spread(std::move(all), frames, warnings);
  EP_CHECK(dataset::read_annotations(taken));
  return taken;
}

Result<std::vector<dataset::Sample>> all_samples(const DataFlags& flags,
                                                 std::vector<std::string>* warnings) {
  if (dataset::layout_of(flags.data)) {
    EP_TRY(auto data, layout_from(flags));
    if (warnings) warnings->insert(warnings->end(), data.notes.begin(), data.notes.end());
    return std::move(data.samples);
  }
  EP_TRY(auto labels, dataset::read_labels(flags.labels, flags.classes));
  std::string note;
  auto all = opened_data(flags, labels, &note);
  if (!all) return all;
  if (warnings && !note.empty()) warnings->push_back(note);
  const bool labelled = std::any_of(all->begin(), all->end(), [](const dataset::Sample& sample) {
    return sample.annotation.has_value();
  });
  // Tables of readings have their own labels, which may be names.
  if (flags.labels.empty() && !flags.classes.empty() && !labelled)
    return Error{ErrorKind::kUsage, "--classes names the classes of --labels, which is not given"};
  if (!labels.empty() && !labelled)
    return Error{ErrorKind::kUsage,
                 labels.from_folders
                     ? "--labels folders: no picture of --data is in a folder that names its class"
                     : "--labels '" + sanitized(flags.labels, 200) + "' names none of the " +
                           std::to_string(all->size()) + " samples of --data: its '" +
                           sanitized(labels.by_name.begin()->first, 80) +
                           "' is missing, and the first sample is called '" +
                           sanitized(all->front().name, 80) + "'"};
  return all;
}

std::string data_name(const std::string& data) {
  std::filesystem::path path(data);
  const dataset::Layout* const layout = dataset::layout_of(data);
  if (layout)
    if (const auto place = dataset::place_of(*layout, data)) path = place->folder;
  const auto name = path.has_filename() ? path.filename() : path.parent_path().filename();
  return name.empty() && layout ? layout->name : name.string();
}

Status download_if_asked(const DataFlags& flags, Terminal& terminal) {
  if (!flags.download) return {};
  if (flags.data.empty())
    return Error{ErrorKind::kUsage, "--download-dataset fetches --data, which is not given"};
  return download_dataset(flags.data, terminal);
}

Result<std::vector<dataset::Sample>> samples_from(const DataFlags& flags, Terminal& terminal) {
  EP_CHECK(download_if_asked(flags, terminal));
  std::vector<std::string> warnings;
  auto samples = [&] {
    Progress bar(terminal, "samples");
    return samples_from(flags, &warnings, {terminal.stop, bar.callback()});
  }();
  print(warnings, terminal);
  return samples;
}

Result<dataset::Parts> parts_from(const DataFlags& flags, Terminal& terminal) {
  EP_CHECK(part_from(flags.split));
  if (flags.data.empty())
    return Error{ErrorKind::kUsage, "a split parts the samples of --data, which is not given"};
  EP_CHECK(download_if_asked(flags, terminal));
  std::vector<std::string> warnings;
  EP_TRY(const auto all, all_samples(flags, &warnings));
  auto parts = [&] {
    Progress bar(terminal, "samples");
    return parts_of(all, flags.split, &warnings, {terminal.stop, bar.callback()});
  }();
  print(warnings, terminal);
  return parts;
}

bool is_labelled(const DataFlags& flags) {
  return !flags.labels.empty() || dataset::layout_of(flags.data);
}

Result<std::vector<std::string>> class_names_from(const DataFlags& flags) {
  if (dataset::layout_of(flags.data)) {
    EP_TRY(auto data, layout_from(flags));
    return std::move(data.classes);
  }
  EP_TRY(auto names, dataset::read_labels("", flags.classes));
  return std::move(names.classes);
}

std::string folders_in_doubt(const DataFlags& flags, const std::vector<dataset::Sample>& samples,
                             const std::vector<TensorSpec>& outputs) {
  if (flags.labels != "folders" || !flags.classes.empty()) return "";
  std::map<int, std::string> folders;
  for (const dataset::Sample& sample : samples)
    if (sample.annotation)
      for (const int index : task::classes_of(*sample.annotation))
        folders.emplace(index, sample.name.substr(0, sample.name.find('/')));
  const std::size_t classes = dataset::class_count(outputs);
  if (folders.empty() || static_cast<std::size_t>(folders.rbegin()->first) + 1 >= classes)
    return "";
  const auto& [last, name] = *folders.rbegin();
  return "--labels folders: folders are numbered in the order of their names, up to " +
         std::to_string(last) + " for '" + sanitized(name, 60) + "', and the model has " +
         std::to_string(classes) +
         " classes; if that is not its order, give its class names, one a line from class 0 on, "
         "with --classes FILE";
}

}  // namespace edgeprobe::cli
