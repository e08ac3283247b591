// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "diagnose/verdict/verdict.h"
#include "report/page/picture_data.h"

namespace edgeprobe::report {

/// Bound of a picture in the JSON, in pixels: a whole report stays below a megabyte, so that it
/// passes through pipes and logs, and inputs of small models stay as they are.
inline constexpr int kMostJsonPictureEdge = 128;

/// The samples whose inputs are shown: their pictures, and what both sides answer.
nlohmann::ordered_json samples_json(const diagnose::Verdict& verdict, Images images);

}  // namespace edgeprobe::report
