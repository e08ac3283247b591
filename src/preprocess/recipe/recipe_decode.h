// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/result.h"
#include "preprocess/decode/decode_options.h"
#include "preprocess/recipe/recipe_arguments.h"

/// The step decode(…): text and meaning.
namespace edgeprobe::preprocess {

Result<Decode> read_decode(Arguments& arguments);
std::string decode_text(const Decode& step);
std::string decode_meaning(const Decode& step);

}  // namespace edgeprobe::preprocess
