// SPDX-License-Identifier: Apache-2.0
// Oxford-IIIT Pets: annotations/list.txt has lines "IMAGE CLASS-ID SPECIES BREED-ID", numbers from
// 1; CLASS-ID is one of 37 breeds, SPECIES 1 is cat and 2 is dog.
#include <algorithm>
#include <charconv>
#include <optional>

#include "core/csv.h"
#include "core/text.h"
#include "dataset/annotations/readers.h"
#include "dataset/layouts/files.h"
#include "dataset/sources.h"

namespace edgeprobe::dataset {
namespace {

constexpr int kMostBreeds = 10'000;

struct Breed {
  std::string name;
  int species = 0;
  std::size_t line = 0;
};

struct Pet {
  int breed = 0, species = 0;
};

std::optional<int> whole(const std::string& word) {
  int value = 0;
  const char* const end = word.data() + word.size();
  const auto [at, failure] = std::from_chars(word.data(), end, value);
  return failure == std::errc{} && at == end ? std::optional(value) : std::nullopt;
}

/// The pets by name, and the breeds by CLASS-ID.
struct List {
  std::map<std::string, Pet> pets;
  std::map<int, Breed> breeds;
};

Result<List> read_list(const std::filesystem::path& file) {
  EP_TRY(const auto text, list_file(file, "pets"));
  List list;
  const auto lines = lines_of(text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto words = words_of(lines[i]);
    if (words.empty() || words.front().front() == '#') continue;
    const auto id = words.size() == 4 ? whole(words[1]) : std::nullopt;
    const auto species = words.size() == 4 ? whole(words[2]) : std::nullopt;
    if (!id || !species || *id < 1 || *id > kMostBreeds || *species < 1 || *species > 2)
      return at_line(file, i + 1,
                     "expected a picture's name, a class from 1, a species (1 cat, 2 dog) and a "
                     "breed, found '" +
                         sanitized(lines[i], 80) + "'");
    const std::string& name = words.front();
    const std::string breed_name = name.substr(0, name.rfind('_'));
    const auto [breed, is_new] = list.breeds.emplace(*id, Breed{breed_name, *species, i + 1});
    if (breed->second.name != breed_name || breed->second.species != *species)
      return at_line(file, i + 1,
                     "class " + words[1] + " is " + (*species == 1 ? "the cat " : "the dog ") +
                         in_quotes(breed_name, 60) + ", and " +
                         (breed->second.species == 1 ? "the cat " : "the dog ") +
                         in_quotes(breed->second.name, 60) + " in line " +
                         std::to_string(breed->second.line));
    if (!list.pets.emplace(name, Pet{*id, *species}).second)
      return at_line(file, i + 1, in_quotes(name, 80) + " appears twice");
  }
  int expected = 1;
  for (const auto& [id, breed] : list.breeds)
    if (id != expected++)
      return at_line(file, breed.line,
                     "class " + std::to_string(expected - 1) +
                         " has no picture: classes are numbered from 1 without gaps");
  return list;
}

/// Trimaps have 1 for the pet, 2 for the background and 3 for the border between them.
Result<task::TrueMask> trimap(const std::filesystem::path& file, bool as_mask) {
  EP_TRY(auto mask, read_mask(file));
  auto classes = std::make_shared<std::vector<std::uint8_t>>(*mask.classes);
  for (std::uint8_t& one : *classes) {
    if (one < 1 || one > 3)
      return Error{ErrorKind::kCorrupt, "trimap " + in_quotes(file.string(), 200) + " holds a " +
                                            std::to_string(one) + "; expected 1, 2 and 3"};
    constexpr std::uint8_t kMask[]{1, 0, task::TrueMask::kIgnored};
    one = as_mask ? kMask[one - 1] : static_cast<std::uint8_t>(one - 1);
  }
  mask.classes = std::move(classes);
  return mask;
}

}  // namespace

Result<DataSet> open_pets(const Place& place) {
  EP_TRY(const auto list, read_list(place.folder / "annotations" / "list.txt"));
  EP_TRY(const auto files, files_below(place.folder / "images", picture_extensions()));
  const bool by_species = place.option("classify_by") == "species";
  const std::string wanted = place.option("annotations");
  const auto trimaps = place.folder / "annotations" / "trimaps";
  DataSet data;
  std::set<std::string> there;
  Lone unlisted("pictures are not in annotations/list.txt, and are left out"),
      absent("pictures of annotations/list.txt do not exist"),
      maskless("pictures have no trimap, and are left out");
  for (const std::string& file : files) {
    const std::filesystem::path path(file);
    const std::string name = path.stem().string();
    const auto pet = list.pets.find(name);
    if (pet == list.pets.end()) {
      unlisted.add(file);
      continue;
    }
    if (!there.insert(name).second)
      return Error{ErrorKind::kUsage, "two pictures are called " + in_quotes(name, 80)};
    const auto mask = trimaps / (name + ".png");
    std::error_code failure;
    if (wanted != "classes" && !std::filesystem::is_regular_file(mask, failure)) {
      maskless.add(file);
      continue;
    }
    const int label = by_species ? pet->second.species - 1 : pet->second.breed - 1;
    Sample sample = sample_of_file(place.folder / "images" / path, "images/" + file, std::nullopt);
    // Parts keep the shares of the classes for masks, too.
    sample.stratum = by_species ? (label == 0 ? "cat" : "dog") : list.breeds.at(label + 1).name;
    if (wanted == "classes") sample.annotation = task::ClassLabel{label};
    else
      sample.annotate = [mask, as_mask = wanted == "masks"]() -> Result<task::Annotation> {
        EP_TRY(auto read, trimap(mask, as_mask));
        return task::Annotation(std::move(read));
      };
    data.samples.push_back(std::move(sample));
  }
  for (const auto& [name, pet] : list.pets)
    if (there.count(name) == 0) absent.add(name);
  for (const Lone* const lone : {&unlisted, &absent, &maskless}) lone->note(data.notes);
  if (wanted != "classes") {
    data.classes = wanted == "masks" ? std::vector<std::string>{"background", "pet"}
                                     : std::vector<std::string>{"pet", "background", "border"};
    return data;
  }
  if (by_species) data.classes = {"cat", "dog"};
  else
    for (const auto& [id, breed] : list.breeds) data.classes.push_back(breed.name);
  EP_CHECK(check_no_class_is_empty(data, "pets"));
  EP_CHECK(renumber(data, place.names, ""));
  return data;
}

}  // namespace edgeprobe::dataset
