// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "report/measured/document.h"
#include "report/measured/named.h"

namespace edgeprobe::report {

/// Report on one set of measurements, or on several side by side: times, machine, quality, and what
/// was not measured. Figures: inference_time, memory, cpu, gpu, gpu_memory, confusion_matrix (with
/// several sets: _1, _2, …).
Document measurements_report(std::span<const NamedMeasurements> all);
/// The same figures as numbers, for programs (docs/reference/measurements.md).
std::string measurements_json(std::span<const NamedMeasurements> all, std::string_view version);

}  // namespace edgeprobe::report
