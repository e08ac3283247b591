// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/options/parser.h"
#include "cli/options/split_flags.h"
#include "cli/terminal/terminal.h"
#include "core/control.h"
#include "core/result.h"
#include "core/tensor.h"
#include "dataset/sample.h"

namespace edgeprobe::cli {

/// A verb's data and its ground truth.
struct DataFlags {
  std::string data, labels, classes;
  std::string frames;  ///< An integer of at least 1; empty: all.
  SplitFlags split;
  bool download = false;  ///< --download-dataset
  /// --time-limit of the verb, for a plug-in; null: 60 s.
  const double* time_limit_s = nullptr;
  /// Of --plugin: the libraries that --data may name. Null: none.
  const std::vector<std::string>* plugins = nullptr;
  std::string python;  ///< The Python that runs a plug-in; "": process::python_interpreter().
};
/// `usual_frames`: the default of --frames, for --help.
void add_data(Parser& parser, DataFlags& flags, bool required,
              const std::string& usual_frames = "all");

/// The number that --frames states; 0: all.
Result<std::size_t> frames_from(const DataFlags& flags);
/// Samples of a folder of pictures, an .npz file or a trace; empty without --data. With a split,
/// only those of the part that --split names, else of the test. For recorded tensors, --frames
/// takes the first ones, because their order may matter. kUsage if given labels belong to none of
/// them. `warnings` receives a sentence on the samples that were read, what the split notes, and a
/// sentence if --frames leaves out whole classes: an accuracy then covers only the other classes.
Result<std::vector<dataset::Sample>> samples_from(const DataFlags& flags,
                                                  std::vector<std::string>* warnings = nullptr,
                                                  const Control& control = {});
/// The same, after the download that --download-dataset asks for; prints the warnings and shows the
/// progress of a split.
Result<std::vector<dataset::Sample>> samples_from(const DataFlags& flags, Terminal& terminal);

/// All samples of --data, whatever the split and --frames say. Annotations such as masks are not
/// read yet (dataset::read_annotations()). `warnings` as above.
Result<std::vector<dataset::Sample>> all_samples(const DataFlags& flags,
                                                 std::vector<std::string>* warnings = nullptr);

/// A name of --data for traces: that of the file or folder, or of a layout without one.
std::string data_name(const std::string& data);

/// Fetches the data set if --download-dataset is given. kUsage without --data.
Status download_if_asked(const DataFlags& flags, Terminal& terminal);

/// The samples of --data in all their parts, for training and calibration: samples_from() with
/// `--split test` returns the same test part. Shares that are not given have their defaults;
/// --split and --frames have no effect. Annotations as in all_samples(). kUsage without --data, and
/// as split().
Result<dataset::Parts> parts_from(const DataFlags& flags, Terminal& terminal);

/// True if annotations come with --data or with --labels.
bool is_labelled(const DataFlags& flags);
/// Class names by number: of --classes, else of the data set; empty if neither has some.
Result<std::vector<std::string>> class_names_from(const DataFlags& flags);

/// `--labels folders` numbers folders by their names, which may differ from the order of the
/// model's classes. Returns a sentence if there are fewer folders than classes and no --classes;
/// else "".
std::string folders_in_doubt(const DataFlags& flags, const std::vector<dataset::Sample>& samples,
                             const std::vector<TensorSpec>& outputs);

}  // namespace edgeprobe::cli
