// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/attributes.h"

/// The supported options of operators, by the type of their table in the schema (version 3).
namespace edgeprobe::model {

struct OptionField {
  enum class Kind { kNumber, kFlag, kReal, kPadding, kActivation, kMirror };
  const char* name;
  int field;
  Kind kind;
  double absent = 0;  ///< The schema's default if a table omits the field.
};

/// Null for a table without options that affect the result.
const std::vector<OptionField>* option_fields(int options_type);

/// The names of an enumeration's values, by number; empty for other kinds.
const std::vector<std::string>& option_words(OptionField::Kind kind);

}  // namespace edgeprobe::model
