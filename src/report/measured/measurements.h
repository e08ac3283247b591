// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "report/measured/document.h"
#include "report/measured/named.h"

namespace edgeprobe::report {

/// One set of measurements, or several beside each other: times, machine, quality, what was not
/// measured. Figures: inference_time, memory, cpu, gpu, gpu_memory, confusion_matrix (of several
/// with _1, _2, …).
Document measurements_report(std::span<const NamedMeasurements> all);
/// The same figures as numbers, for programs (docs/reference/measurements.md).
std::string measurements_json(std::span<const NamedMeasurements> all, std::string_view version);

}  // namespace edgeprobe::report
