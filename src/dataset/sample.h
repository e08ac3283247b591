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

/// Classes that the largest of a model's outputs can tell apart; 0 without class numbers: an output
/// with an open dimension, or one value alone.
std::size_t class_count(const std::vector<TensorSpec>& outputs);

/// A sample that has not been read yet. Copies share whatever `load` refers to.
struct Sample {
  std::string name;                            ///< Path relative to the dataset, '/' between parts.
  std::optional<task::Annotation> annotation;  ///< What is true of it, where that is known.
  std::function<Result<Loaded>()> load;
  /// Of recorded tensors: name, type and shape of each; empty for a picture.
  std::vector<TensorSpec> arrays = {};
  /// The first of a sequence: a model's state goes back to its beginning.
  bool begins_sequence = false;
};

/// A sample that could not be used, and why.
struct Unreadable {
  std::string name;
  std::string why;
};

/// Decodes one encoded picture, whatever it is called.
Result<Loaded> load_encoded(Bytes encoded, std::string_view name);
/// Converts one camera frame.
Result<Loaded> load_frame(Bytes encoded, const preprocess::YuvFrame& frame, std::string_view name);
/// Decodes one recording.
Result<Loaded> load_sound(Bytes encoded, std::string_view name);
/// One of these, by the ending of the name.
Result<Loaded> load_file(Bytes encoded, std::string_view name);
/// The recorded bytes, for reading them otherwise; without bytes when only pixels are known.
/// Borrows from `picture`.
preprocess::Source source_of(const Picture& picture);

/// kUsage for a label that names a class which none of a model's outputs has a value for. Outputs
/// with an open dimension, and models with one value alone, have no class numbers.
Status check_classes(const std::vector<Sample>& samples, const std::vector<TensorSpec>& outputs);

}  // namespace edgeprobe::dataset
