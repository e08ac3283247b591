// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "diagnose/postprocessing/hypothesis.h"

namespace edgeprobe::diagnose::postprocessing {

/// Describes the app's deviation in a sentence without a period: "the app applies softmax twice;
/// the reference applies it once". `names` are those of the reference's label file.
std::string words(const Change& change, const postprocess::Classification& reference,
                  const std::vector<std::string>& names);

/// The same in machine-readable form: parameter and value, "activation=softmax+softmax".
std::string short_words(const Change& change);

/// A line of NumPy that fixes it; empty if there is no usual one.
std::string fix_line(const Change& change, const postprocess::Classification& reference);

}  // namespace edgeprobe::diagnose::postprocessing
