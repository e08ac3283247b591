// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compare/options/options.h"
#include "model/change.h"

namespace edgeprobe::compare {

/// What the file has to say so that its operator has the option `name` with the value `wanted`, in
/// the file's own words. `own` are its options as they are. kUnsupported, with the reason, where
/// the format has no word for it: a .tflite knows no padding but SAME and VALID.
Result<std::vector<model::Change>> changes_for(const OptionSource& source,
                                               const OperatorOptions& own, const std::string& name,
                                               const model::AttributeValue& wanted);

}  // namespace edgeprobe::compare
