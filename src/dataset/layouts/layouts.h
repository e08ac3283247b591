// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "dataset/sample.h"

/// Data sets in the layouts in which they are published: samples, annotations and class names at
/// once (docs/guides/datasets.md).
namespace edgeprobe::dataset {

/// An opened data set.
struct DataSet {
  std::vector<Sample> samples;  ///< In byte order of their names.
  /// Class names by number; empty if the annotations hold names, or the numbers have none.
  std::vector<std::string> classes;
  std::vector<std::string> notes;  ///< Sentences on what was left out.
};

/// The folder and the options of "KIND:FOLDER?OPTION=VALUE&OPTION=VALUE".
struct Place {
  std::filesystem::path folder;
  std::map<std::string, std::string> options;
  std::vector<std::string> names;  ///< Class names that the user gives; empty: the data set's own.

  /// The option's value; "" if it is not given.
  std::string option(const std::string& name) const;
};

struct LayoutOption {
  const char* name;
  const char* choices;  ///< Words separated by blanks, the first is the default; "" for any text.
  const char* help;
};

/// One row of the table of layouts.
struct Layout {
  const char* name;
  const char* help;  ///< Files, and what annotates them.
  std::span<const LayoutOption> options;
  bool has_folder;
  Result<DataSet> (*open)(const Place& place);
};
std::span<const Layout> layouts();

/// The layout that "KIND:…" names; null for other data.
const Layout* layout_of(std::string_view data);

/// A word before the ':' that is nearly a layout's name, as ", did you mean 'pets:'?"; else "".
std::string layout_hint(std::string_view data);

/// The folder and options of layout_of(data); those without a value have their defaults.
Result<Place> place_of(const Layout& layout, std::string_view data);

/// Opens "KIND:FOLDER?OPTION=VALUE" of layout_of(). With `names`, classes get the numbers of their
/// names there. kUsage for an unknown option or value, a folder that lacks the layout's files,
/// annotations that contradict each other, a class without samples, and names that `names` lacks.
Result<DataSet> open_layout(std::string_view data, const std::vector<std::string>& names = {});

// The layouts, one function each; `place.options` hold only known names and values.
Result<DataSet> open_class_folders(const Place& place);
Result<DataSet> open_pets(const Place& place);
Result<DataSet> open_imagenet(const Place& place);
Result<DataSet> open_coco(const Place& place);
Result<DataSet> open_visual_wake_words(const Place& place);
Result<DataSet> open_voc(const Place& place);
Result<DataSet> open_speech_commands(const Place& place);
Result<DataSet> open_magic_wand(const Place& place);
Result<DataSet> open_random(const Place& place);

}  // namespace edgeprobe::dataset
