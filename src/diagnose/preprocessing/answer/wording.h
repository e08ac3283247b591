// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "diagnose/preprocessing/search/hypothesis.h"

/// Sentences for reports.
namespace edgeprobe::diagnose {

/// "bilinear, antialiased (Pillow BILINEAR, TensorFlow antialias)".
std::string kernel_name(const preprocess::Resampling& resampling);
/// "stretches the whole picture", "takes the centred square", ….
std::string framing_name(const Framing& framing, const std::string& fill);

/// The kind of fault for a part.
CauseKind kind_of(Part part, const Hypothesis& h);
/// "the app feeds BGR; the reference feeds RGB".
std::string describe(Part part, const Hypothesis& h, const Hypothesis& own,
                     const Reference& reference);
/// The reference's recipe step that fixes it, as text.
std::string fix_step(Part part, const Reference& reference, const Hypothesis& own);

}  // namespace edgeprobe::diagnose
