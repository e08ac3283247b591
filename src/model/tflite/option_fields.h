// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/attributes.h"

/// The options of operators that are read and written, by the type of their table in the schema
/// (version 3).
namespace edgeprobe::model {

struct OptionField {
  enum class Kind { kNumber, kFlag, kReal, kPadding, kActivation, kMirror };
  const char* name;
  int field;
  Kind kind;
  double absent = 0;  ///< The schema's value where a table leaves the field out.
};

/// Null for a table without options that change what comes out.
const std::vector<OptionField>* option_fields(int options_type);

/// The words of a kind that is an enumeration, by number; empty for other kinds.
const std::vector<std::string>& option_words(OptionField::Kind kind);

}  // namespace edgeprobe::model
