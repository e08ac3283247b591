// SPDX-License-Identifier: Apache-2.0
// Speech Commands: WORD/SPEAKER_nohash_N.wav, testing_list.txt and validation_list.txt with such
// names, and _background_noise_, which is left out. The lists keep a speaker in one part.
#include <algorithm>

#include "core/csv.h"
#include "core/text.h"
#include "dataset/layouts/files.h"
#include "dataset/sources.h"

namespace edgeprobe::dataset {
namespace {

Status read_parts(const std::filesystem::path& file, Part part,
                  std::map<std::string, Part>& parts) {
  EP_TRY(const auto text, list_file(file, "speech_commands"));
  const auto lines = lines_of(text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto words = words_of(lines[i]);
    if (words.empty()) continue;
    if (words.size() > 1)
      return at_line(file, i + 1, "expected WORD/FILE.wav, found " + in_quotes(lines[i], 60));
    const auto [at, is_new] = parts.emplace(words.front(), part);
    if (!is_new && at->second != part)
      return at_line(file, i + 1,
                     in_quotes(words.front(), 80) + " is of the " + name(part) + " and of the " +
                         name(at->second) + " part");
  }
  return {};
}

}  // namespace

Result<DataSet> open_speech_commands(const Place& place) {
  DataSet data;
  EP_TRY(auto words, folders_in(place.folder));
  std::erase_if(words, [](const std::string& word) { return word.starts_with('_'); });
  data.classes = std::move(words);
  std::map<std::string, Part> parts;
  EP_CHECK(read_parts(place.folder / "testing_list.txt", Part::kTest, parts));
  EP_CHECK(read_parts(place.folder / "validation_list.txt", Part::kValidation, parts));
  EP_TRY(const auto files, files_below(place.folder, {".wav"}));
  Lone absent("recordings of the lists do not exist");
  for (const std::string& file : files) {
    const std::string word = file.substr(0, file.find('/'));
    const auto at = std::find(data.classes.begin(), data.classes.end(), word);
    if (word == file || at == data.classes.end()) continue;
    Sample sample = sample_of_file(place.folder / file, file,
                                   task::ClassLabel{static_cast<int>(at - data.classes.begin())});
    const auto listed = parts.find(file);
    sample.part = listed == parts.end() ? Part::kTrain : listed->second;
    if (listed != parts.end()) parts.erase(listed);
    sample.stratum = word;
    data.samples.push_back(std::move(sample));
  }
  for (const auto& [name, part] : parts) absent.add(name);
  absent.note(data.notes);
  EP_CHECK(check_no_class_is_empty(data, "speech_commands"));
  EP_CHECK(
      renumber(data, place.names,
               std::find(place.names.begin(), place.names.end(), "_unknown_") != place.names.end()
                   ? "_unknown_"
                   : "unknown"));
  return data;
}

}  // namespace edgeprobe::dataset
