// SPDX-License-Identifier: Apache-2.0
#include "dataset/sample.h"

#include <algorithm>

#include "audio/decode.h"
#include "core/file.h"
#include "core/sha256.h"
#include "core/text.h"
#include "dataset/frame_name.h"

namespace edgeprobe::dataset {
namespace {

Result<Loaded> load(Bytes encoded, std::optional<preprocess::YuvFrame> frame,
                    std::string_view name) {
  auto decoded = preprocess::read({encoded, frame});
  if (!decoded) return std::move(decoded.error()).during("'" + sanitized(name) + "'");
  std::string hash = sha256(encoded);
  return Loaded{
      Picture{std::move(decoded->image), std::move(encoded), frame, decoded->exif_orientation},
      std::move(hash)};
}

}  // namespace

const char* name(Part part) {
  switch (part) {
    case Part::kTrain: return "train";
    case Part::kValidation: return "validation";
    case Part::kTest: return "test";
  }
  return "";
}

Result<std::string> content_hash(const Sample& sample) {
  if (sample.hash) return sample.hash();
  EP_TRY(const auto loaded, sample.load());
  const auto* const recorded = std::get_if<Arrays>(&loaded.input);
  if (!loaded.sha256.empty() || !recorded) return loaded.sha256;
  std::vector<const Tensor*> sorted;
  for (const Tensor& array : recorded->arrays) sorted.push_back(&array);
  std::sort(sorted.begin(), sorted.end(),
            [](const Tensor* a, const Tensor* b) { return a->spec.name < b->spec.name; });
  Sha256 hash;
  for (const Tensor* const array : sorted) {
    hash.add(view_of(array->spec.name));
    hash.add(view_of("\n"));
    hash.add(array->bytes);
  }
  return hash.hex();
}

Result<Loaded> load_encoded(Bytes encoded, std::string_view name) {
  return load(std::move(encoded), std::nullopt, name);
}

Result<Loaded> load_frame(Bytes encoded, const preprocess::YuvFrame& frame, std::string_view name) {
  return load(std::move(encoded), frame, name);
}

Result<Loaded> load_sound(Bytes encoded, std::string_view name) {
  EP_TRY(auto clip, audio::decode(encoded, name));
  return Loaded{Sound{std::move(clip)}, sha256(encoded)};
}

Result<Loaded> load_file(Bytes encoded, std::string_view name) {
  if (audio::is_sound_name(name)) return load_sound(std::move(encoded), name);
  if (!is_frame_name(name)) return load_encoded(std::move(encoded), name);
  EP_TRY(auto frame, frame_from_name(name));
  return load_frame(std::move(encoded), frame, name);
}

Result<sensor::Series> readings_of(const RawInput& input) {
  if (const auto* const readings = std::get_if<Readings>(&input)) return readings->series;
  const auto* const recorded = std::get_if<Arrays>(&input);
  if (!recorded)
    return Error{ErrorKind::kUsage,
                 std::string("the recipe is one of a sensor's readings, and the data is ") +
                     (picture_of(input) ? "a picture" : "a recording of sound") +
                     ": give arrays of steps x axes (--data FILE.npz)"};
  if (recorded->arrays.size() != 1)
    return Error{ErrorKind::kUsage, "readings are one array of steps x axes, and the data holds " +
                                        std::to_string(recorded->arrays.size()) + " arrays"};
  return sensor::series_from(recorded->arrays.front());
}

preprocess::Source source_of(const Picture& picture) { return {picture.encoded, picture.frame}; }

std::size_t class_count(const std::vector<TensorSpec>& outputs) {
  std::size_t classes = 0;
  for (const TensorSpec& output : outputs) {
    const auto count = element_count(output.shape);
    if (!count) return 0;  // An open dimension may hold any number.
    classes = std::max(classes, *count);
  }
  return classes < 2 ? 0 : classes;  // One score has no class numbers.
}

std::string fit_background(std::vector<Sample>& samples, const std::vector<TensorSpec>& outputs,
                           std::vector<std::string>* names) {
  if (class_count(outputs) != 1001) return "";
  std::size_t shifted = 0;
  for (Sample& sample : samples) {
    auto* const label = sample.may_follow_background && sample.annotation
                            ? std::get_if<task::ClassLabel>(&*sample.annotation)
                            : nullptr;
    if (!label) continue;
    ++label->index;
    sample.may_follow_background = false;
    ++shifted;
  }
  if (shifted == 0) return "";
  if (names && !names->empty()) names->insert(names->begin(), "background");
  return "the model has 1001 classes: 0 is taken as its background, and ImageNet's classes 0 to "
         "999 "
         "as 1 to 1000";
}

Status read_annotations(std::vector<Sample>& samples) {
  for (Sample& sample : samples) {
    if (!sample.annotate || sample.annotation) continue;
    auto read = sample.annotate();
    if (!read) return Error{ErrorKind::kUsage, read.error().what};
    sample.annotation = *std::move(read);
    sample.annotate = nullptr;
  }
  return {};
}

Status check_classes(const std::vector<Sample>& samples, const std::vector<TensorSpec>& outputs) {
  const std::size_t classes = class_count(outputs);
  if (classes == 0) return {};
  for (const Sample& sample : samples) {
    if (!sample.annotation) continue;
    for (const int index : task::classes_of(*sample.annotation))
      if (static_cast<std::size_t>(index) >= classes)
        return Error{ErrorKind::kUsage, "--labels: '" + sanitized(sample.name, 80) +
                                            "' is of class " + std::to_string(index) +
                                            ", but the model's outputs have " +
                                            std::to_string(classes) + " values: classes are 0 to " +
                                            std::to_string(classes - 1)};
  }
  return {};
}

}  // namespace edgeprobe::dataset
