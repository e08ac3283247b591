// SPDX-License-Identifier: Apache-2.0
// ImageNet by WordNet id: a folder "n01440764" for each class, or files "n01440764_10026.JPEG".
#include <algorithm>
#include <optional>

#include "core/csv.h"
#include "core/text.h"
#include "dataset/layouts/files.h"
#include "dataset/sources.h"

namespace edgeprobe::dataset {
namespace {

constexpr std::size_t kWnid = 9, kAll = 1000;
/// Lists of the published archives, with a wnid at the begin of each line, in class order.
constexpr const char* kLists[]{"LOC_synset_mapping.txt", "synset_words.txt", "synsets.txt"};

bool begins_with_wnid(std::string_view text) {
  return text.size() >= kWnid && text[0] == 'n' &&
         std::all_of(text.begin() + 1, text.begin() + kWnid,
                     [](char c) { return c >= '0' && c <= '9'; }) &&
         (text.size() == kWnid || text[kWnid] < '0' || text[kWnid] > '9');
}

/// The wnid of the last folder that is one, else at the begin of the file's name.
std::string wnid_of(const std::string& file) {
  std::string found;
  for (std::size_t begin = 0; begin < file.size();) {
    const std::size_t end = std::min(file.find('/', begin), file.size());
    const std::string part = file.substr(begin, end - begin);
    const bool is_file = end == file.size();
    if (begins_with_wnid(part) && (part.size() == kWnid || (is_file && found.empty())))
      found = part.substr(0, kWnid);
    begin = end + 1;
  }
  return found;
}

/// Classes in their order: number by wnid, and names.
struct Synsets {
  std::map<std::string, int> numbers;
  std::vector<std::string> names;
};

Result<Synsets> read_synsets(const std::filesystem::path& file) {
  EP_TRY(const auto text, list_file(file, "imagenet"));
  Synsets synsets;
  const auto lines = lines_of(text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string line(lines[i]);
    if (line.empty()) continue;
    if (!begins_with_wnid(line))
      return at_line(file, i + 1,
                     "expected a wnid such as n01440764, found " + in_quotes(line, 60));
    const std::string wnid = line.substr(0, kWnid);
    if (!synsets.numbers.emplace(wnid, static_cast<int>(synsets.names.size())).second)
      return at_line(file, i + 1, wnid + " appears twice");
    const std::size_t name = line.find_first_not_of(" \t,", kWnid);
    synsets.names.push_back(name == std::string::npos ? wnid : line.substr(name));
  }
  return synsets;
}

Result<std::optional<Synsets>> given_synsets(const Place& place) {
  std::optional<Synsets> synsets;
  if (const std::string file = place.option("synsets"); !file.empty()) {
    EP_TRY(synsets, read_synsets(file));
    return synsets;
  }
  for (const char* const name : kLists) {
    std::error_code failure;
    if (synsets || !std::filesystem::is_regular_file(place.folder / name, failure)) continue;
    EP_TRY(synsets, read_synsets(place.folder / name));
  }
  return synsets;
}

}  // namespace

Result<DataSet> open_imagenet(const Place& place) {
  if (!place.names.empty())
    return Error{
        ErrorKind::kUsage,
        "--classes has names, and these pictures have wnids; give a file with a wnid at the "
        "begin of each line, in class order, as ?synsets=FILE"};
  EP_TRY(const auto files, files_below(place.folder, picture_extensions()));
  DataSet data;
  std::vector<std::string> wnids;
  std::set<std::string> present;
  Lone nameless("pictures are in no folder of a wnid, and are left out");
  for (const std::string& file : files) {
    const std::string wnid = wnid_of(file);
    if (wnid.empty()) {
      nameless.add(file);
      continue;
    }
    present.insert(wnid);
    wnids.push_back(wnid);
    data.samples.push_back(sample_of_file(place.folder / file, file, std::nullopt));
  }
  nameless.note(data.notes);
  EP_TRY(auto synsets, given_synsets(place));
  if (!synsets) {
    if (present.size() != kAll)
      return Error{ErrorKind::kUsage,
                   "there are pictures of " + std::to_string(present.size()) +
                       " wnids, and only all 1000 in byte order are ImageNet's classes 0 to 999; "
                       "give a file with a wnid at the begin of each line, in class order, as "
                       "?synsets=FILE (LOC_synset_mapping.txt, synset_words.txt)"};
    synsets.emplace();
    for (const std::string& wnid : present) {
      synsets->numbers.emplace(wnid, static_cast<int>(synsets->names.size()));
      synsets->names.push_back(wnid);
    }
  }
  for (std::size_t i = 0; i < wnids.size(); ++i) {
    const auto at = synsets->numbers.find(wnids[i]);
    if (at == synsets->numbers.end())
      return Error{ErrorKind::kUsage, in_quotes(data.samples[i].name) + " is of " + wnids[i] +
                                          ", which the list of synsets lacks"};
    data.samples[i].annotation = task::ClassLabel{at->second};
    data.samples[i].stratum = wnids[i];
    data.samples[i].may_follow_background = synsets->names.size() == kAll;
  }
  data.classes = std::move(synsets->names);
  return data;
}

}  // namespace edgeprobe::dataset
