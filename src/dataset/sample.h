// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/tensor.h"
#include "dataset/raw_input.h"
#include "preprocess/decode/source.h"
#include "task/annotation.h"

namespace edgeprobe::dataset {

/// Number of classes that the largest of a model's outputs distinguishes; 0 without class numbers:
/// an output with an open dimension, or a single value.
std::size_t class_count(const std::vector<TensorSpec>& outputs);

/// The part of a data set that a sample belongs to (split.h).
enum class Part { kTrain, kValidation, kTest };
/// "train", "validation", "test".
const char* name(Part part);

/// A sample that has not been read yet. Copies share everything that `load` refers to.
struct Sample {
  /// Path relative to the dataset, with '/' separators.
  std::string name;
  std::optional<task::Annotation> annotation;  ///< Ground truth, if known.
  std::function<Result<Loaded>()> load;
  /// For recorded tensors: name, type and shape of each; empty for a picture.
  std::vector<TensorSpec> arrays = {};
  /// The first sample of a sequence: the model's state is reset before it.
  bool begins_sequence = false;
  /// SHA-256 of the recorded bytes, without decoding them; null: `load` knows it (content_hash()).
  std::function<Result<std::string>()> hash = nullptr;
  /// Reads an annotation that is too large to hold for every sample, such as a mask; null: it is in
  /// `annotation`.
  std::function<Result<task::Annotation>()> annotate = nullptr;
  /// One of ImageNet's 1000 classes, which models with 1001 count from 1: 0 is their background.
  bool may_follow_background = false;
  /// The group in which a split keeps the shares; empty: the annotation's class.
  std::string stratum = {};
  /// The part that the data set itself assigns, such as Speech Commands' testing_list.txt.
  std::optional<Part> part = std::nullopt;
};

/// SHA-256 of a sample's content as 64 hex digits, independent of its name: of the file's bytes; of
/// recorded arrays as name, '\n' and bytes of each, in byte order of the names; of texts, each
/// followed by a NUL.
Result<std::string> content_hash(const Sample& sample);

/// A sample that could not be used, and why.
struct Unreadable {
  std::string name;
  std::string why;
};

/// Decodes one encoded picture, whatever its name.
Result<Loaded> load_encoded(Bytes encoded, std::string_view name);
/// Converts one camera frame.
Result<Loaded> load_frame(Bytes encoded, const preprocess::YuvFrame& frame, std::string_view name);
/// Decodes one recording.
Result<Loaded> load_sound(Bytes encoded, std::string_view name);
/// Loads a picture, a camera frame or a recording, according to the file extension.
Result<Loaded> load_file(Bytes encoded, std::string_view name);
/// The recorded bytes, which can be decoded in another way; empty if only pixels are known. Borrows
/// from `picture`.
preprocess::Source source_of(const Picture& picture);

/// Adds 1 to the classes of samples that may follow a background if the model's outputs have 1001
/// values, and puts "background" before `names`, unless they are null or empty. Returns a sentence
/// that says so; else "".
std::string fit_background(std::vector<Sample>& samples, const std::vector<TensorSpec>& outputs,
                           std::vector<std::string>* names = nullptr);

/// Reads the annotations that samples have not read yet (Sample::annotate). kUsage for one that
/// cannot be read.
Status read_annotations(std::vector<Sample>& samples);

/// kUsage for a label with a class number for which none of the model's outputs has a value.
/// Outputs with an open dimension, and models with a single value, have no class numbers.
Status check_classes(const std::vector<Sample>& samples, const std::vector<TensorSpec>& outputs);

}  // namespace edgeprobe::dataset
