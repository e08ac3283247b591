// SPDX-License-Identifier: Apache-2.0
#include "dataset/layouts/layouts.h"

#include <algorithm>
#include <array>
#include <sstream>

#include "core/text.h"

namespace edgeprobe::dataset {
namespace {

constexpr std::array kOfPets{
    LayoutOption{"classify_by", "breeds species", "37 breeds, or cat and dog"},
    LayoutOption{"annotations", "classes masks trimaps",
                 "masks: 0 background, 1 pet, the border is not scored; trimaps: 0 pet, 1 "
                 "background, 2 border"},
};
constexpr std::array kOfImagenet{
    LayoutOption{"synsets", "", "File with a wnid at the begin of each line, in class order"},
};
constexpr std::array kOfCoco{
    LayoutOption{"set", "", "val2017 of instances_val2017.json; the only one by default"},
    LayoutOption{"annotations", "instances person_keypoints", "Boxes, or points of persons"},
};
constexpr std::array kOfWakeWords{
    LayoutOption{"set", "", "val2017 of instances_val2017.json; the only one by default"},
    LayoutOption{"object", "", "The category of class 1; 'person' by default"},
    LayoutOption{"area", "", "Share of the picture above which it counts; 0.005 by default"},
};
constexpr std::array kOfVoc{
    LayoutOption{"set", "val train trainval test", "List in ImageSets"},
    LayoutOption{"annotations", "boxes masks", "Annotations/*.xml, or SegmentationClass/*.png"},
};
constexpr std::array kOfMagicWand{
    LayoutOption{"window", "", "Steps of a window; by default a recording is one sample"},
    LayoutOption{"shift", "", "Steps from one window to the next; by default no overlap"},
};
constexpr std::array kOfRandom{
    LayoutOption{"shape", "", "HEIGHTxWIDTHx3 of pictures, or the shape of an array"},
    LayoutOption{"count", "", "Number of samples; 32 by default"},
    LayoutOption{"classes", "", "Number of classes, in turn; none by default"},
    LayoutOption{"seed", "", "0 by default"},
    LayoutOption{"dtype", "uint8 float32", "Pictures of bytes, or arrays of numbers from 0 to 1"},
    LayoutOption{"name", "", "The input's name; 'input' by default"},
};

constexpr std::array kLayouts{
    Layout{"folders", "A folder for each class", {}, true, open_class_folders},
    Layout{"pets", "Oxford-IIIT Pets: images/, annotations/list.txt, annotations/trimaps/", kOfPets,
           true, open_pets},
    Layout{"imagenet", "ImageNet: files or folders by wnid", kOfImagenet, true, open_imagenet},
    Layout{"coco", "COCO: annotations/instances_*.json and pictures", kOfCoco, true, open_coco},
    Layout{"visual_wake_words", "COCO as two classes: without and with a person", kOfWakeWords,
           true, open_visual_wake_words},
    Layout{"voc", "Pascal VOC: JPEGImages/, ImageSets/, and boxes or masks", kOfVoc, true,
           open_voc},
    Layout{"speech_commands",
           "Speech Commands: a folder for each word, testing_list.txt",
           {},
           true,
           open_speech_commands},
    Layout{"magic_wand", "Magic Wand: gestures as folders of recordings", kOfMagicWand, true,
           open_magic_wand},
    Layout{"random", "Numbers from a seed", kOfRandom, false, open_random},
};

std::string_view kind_in(std::string_view data) {
  const std::size_t colon = data.find(':');
  return colon == std::string_view::npos ? std::string_view() : data.substr(0, colon);
}

Status add_option(const Layout& layout, std::string_view text, Place& place) {
  const std::size_t equals = text.find('=');
  const std::string name(text.substr(0, equals));
  const auto known = std::find_if(layout.options.begin(), layout.options.end(),
                                  [&](const LayoutOption& one) { return one.name == name; });
  if (equals == std::string_view::npos || known == layout.options.end()) {
    const std::string names =
        joined(layout.options, ", ", [](const LayoutOption& one) { return std::string(one.name); });
    return Error{ErrorKind::kUsage,
                 "'" + sanitized(text, 80) + "' is not an option of " + layout.name +
                     (names.empty() ? ", which has none" : "; expected NAME=VALUE of " + names)};
  }
  const std::string value(text.substr(equals + 1));
  std::istringstream words{known->choices};
  bool is_choice = !*known->choices && !value.empty();
  for (std::string word; words >> word;) is_choice = is_choice || word == value;
  if (!is_choice)
    return Error{ErrorKind::kUsage,
                 "option " + name + " of " + layout.name + " is '" + sanitized(value, 60) +
                     "'; expected " + (*known->choices ? std::string(known->choices) : "a value")};
  if (!place.options.emplace(name, value).second)
    return Error{ErrorKind::kUsage, "option " + name + " of " + layout.name + " is given twice"};
  return {};
}

}  // namespace

std::string Place::option(const std::string& name) const {
  const auto at = options.find(name);
  return at == options.end() ? "" : at->second;
}

Result<Place> place_of(const Layout& layout, std::string_view data) {
  const std::string_view rest = data.substr(std::string_view(layout.name).size() + 1);
  const std::size_t mark = std::min(rest.find('?'), rest.size());
  Place place;
  place.folder = std::string(rest.substr(0, mark));
  if (place.folder.empty() == layout.has_folder)
    return Error{ErrorKind::kUsage,
                 layout.has_folder ? "expected a folder, as " + std::string(layout.name) + ":FOLDER"
                                   : std::string(layout.name) + " has no folder; expected " +
                                         layout.name + ":?OPTION=VALUE"};
  std::string_view options = mark < rest.size() ? rest.substr(mark + 1) : std::string_view();
  while (!options.empty()) {
    const std::size_t end = std::min(options.find('&'), options.size());
    EP_CHECK(add_option(layout, options.substr(0, end), place));
    options = options.substr(std::min(end + 1, options.size()));
  }
  for (const LayoutOption& option : layout.options)
    if (*option.choices) {
      const std::string_view choices = option.choices;
      place.options.emplace(option.name, choices.substr(0, choices.find(' ')));
    }
  return place;
}

std::span<const Layout> layouts() { return kLayouts; }

const Layout* layout_of(std::string_view data) {
  const auto at = std::find_if(kLayouts.begin(), kLayouts.end(),
                               [&](const Layout& one) { return kind_in(data) == one.name; });
  return at == kLayouts.end() ? nullptr : &*at;
}

std::string layout_hint(std::string_view data) {
  std::vector<std::string> names;
  for (const Layout& one : kLayouts) names.emplace_back(one.name);
  const std::string near = kind_in(data).empty() ? "" : closest_match(kind_in(data), names);
  return near.empty() ? "" : "; did you mean '" + near + ":'?";
}

Result<DataSet> open_layout(std::string_view data, const std::vector<std::string>& names) {
  const Layout* const layout = layout_of(data);
  if (!layout) return Error{ErrorKind::kUsage, in_quotes(data) + " names no layout"};
  const std::string title = "--data " + in_quotes(data, 200);
  auto place = place_of(*layout, data);
  if (!place) return std::move(place.error()).during(title);
  place->names = names;
  auto opened = layout->open(*place);
  if (!opened) {
    Error error = std::move(opened.error()).during(title);
    // The user can correct the list, or name another folder.
    if (error.kind == ErrorKind::kCorrupt) error.kind = ErrorKind::kUsage;
    return error;
  }
  if (opened->samples.empty())
    return Error{ErrorKind::kUsage, title + " holds no sample of the layout '" + layout->name +
                                        "' (docs/guides/datasets.md)"};
  return opened;
}

}  // namespace edgeprobe::dataset
