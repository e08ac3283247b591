// SPDX-License-Identifier: Apache-2.0
// Magic Wand: GESTURE/output_GESTURE_PERSON.txt. A line that is not three numbers, "-,-,-" or a
// header, ends a recording; the others are steps "x,y,z" in thousandths of g.
#include <algorithm>
#include <charconv>
#include <memory>

#include "core/csv.h"
#include "core/file.h"
#include "core/real_number.h"
#include "core/text.h"
#include "dataset/layouts/files.h"

namespace edgeprobe::dataset {
namespace {

constexpr const char* kGestures[]{"wing", "ring", "slope", "negative"};
constexpr std::size_t kMostText = std::size_t{256} << 20, kAxes = 3, kMostSteps = 1'000'000;

/// The values of each recording of a file.
std::vector<std::vector<float>> recordings_in(std::string_view text) {
  std::vector<std::vector<float>> recordings(1);
  for (const std::string_view line : lines_of(text)) {
    const auto fields = csv_fields(line);
    std::vector<float> step;
    if (!fields) {
      if (!recordings.back().empty()) recordings.emplace_back();
      continue;
    }
    for (const std::string& field : *fields) {
      const auto words = words_of(field);
      const auto value = words.size() == 1 ? float_of(words.front()) : std::nullopt;
      if (value) step.push_back(*value);
    }
    if (fields->size() == kAxes && step.size() == kAxes)
      recordings.back().insert(recordings.back().end(), step.begin(), step.end());
    else if (!recordings.back().empty()) recordings.emplace_back();
  }
  if (recordings.back().empty()) recordings.pop_back();
  return recordings;
}

Result<std::size_t> steps_of(const Place& place, const std::string& option, std::size_t usual) {
  const std::string text = place.option(option);
  if (text.empty()) return usual;
  std::size_t steps = 0;
  const char* const end = text.data() + text.size();
  const auto [at, failure] = std::from_chars(text.data(), end, steps);
  if (failure == std::errc{} && at == end && steps > 0 && steps <= kMostSteps) return steps;
  return Error{ErrorKind::kUsage, "option " + option + " of magic_wand is '" + sanitized(text, 60) +
                                      "'; expected a number of steps"};
}

Sample sample_of(std::vector<float> values, std::string name, int label, bool begins) {
  auto held = std::make_shared<const std::vector<float>>(std::move(values));
  Sample sample{std::move(name), task::ClassLabel{label}, [held]() -> Result<Loaded> {
                  const ByteView bytes{reinterpret_cast<const std::byte*>(held->data()),
                                       held->size() * sizeof(float)};
                  return Loaded{Readings{{*held, static_cast<int>(kAxes), 0}}, sha256(bytes)};
                }};
  sample.begins_sequence = begins;
  return sample;
}

}  // namespace

Result<DataSet> open_magic_wand(const Place& place) {
  EP_TRY(const auto window, steps_of(place, "window", 0));
  EP_TRY(const auto shift, steps_of(place, "shift", window));
  if (window == 0 && shift > 0)
    return Error{ErrorKind::kUsage, "option shift of magic_wand needs window=STEPS"};
  DataSet data;
  data.classes.assign(std::begin(kGestures), std::end(kGestures));
  Lone empty("files hold no recording"), brief("recordings are shorter than a window, whole");
  for (std::size_t label = 0; label < data.classes.size(); ++label) {
    const auto folder = place.folder / data.classes[label];
    EP_TRY(const auto files, files_below(folder, {".txt"}));
    for (const std::string& file : files) {
      EP_TRY(const auto bytes, read_file(folder / file, kMostText));
      const auto recordings = recordings_in(ByteView(bytes).text());
      const std::string name = data.classes[label] + "/" + file;
      if (recordings.empty()) empty.add(name);
      for (std::size_t i = 0; i < recordings.size(); ++i) {
        const std::vector<float>& all = recordings[i];
        const std::size_t steps = all.size() / kAxes;
        const std::string title = name + ":" + std::to_string(i + 1);
        if (window == 0 || steps <= window) {
          if (steps < window) brief.add(title);
          data.samples.push_back(sample_of(all, title, static_cast<int>(label), window > 0));
          continue;
        }
        // Windows of one recording overlap or resemble each other: a sequence stays in one part.
        for (std::size_t at = 0; at + window <= steps; at += shift)
          data.samples.push_back(
              sample_of({all.begin() + static_cast<std::ptrdiff_t>(at * kAxes),
                         all.begin() + static_cast<std::ptrdiff_t>((at + window) * kAxes)},
                        title + "+" + std::to_string(at), static_cast<int>(label), at == 0));
      }
    }
  }
  empty.note(data.notes);
  brief.note(data.notes);
  EP_CHECK(check_no_class_is_empty(data, "magic_wand"));
  EP_CHECK(renumber(data, place.names, ""));
  return data;
}

}  // namespace edgeprobe::dataset
