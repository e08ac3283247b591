#pragma once

#include <string>
#include <vector>

#include "diagnose/input/frame.h"

namespace edgeprobe::diagnose {

/// How the recorded tensor and the reference's differ when nobody can say why: range, mean and deviation, correlation, spectrum;
/// a sentence with its numbers each.
std::vector<std::string> describe_difference(const Frame& frame, const Reference& reference);

}  // namespace edgeprobe::diagnose
