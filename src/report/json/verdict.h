// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "diagnose/verdict/verdict.h"
#include "report/page/picture_data.h"

namespace edgeprobe::report {

/// The version of docs/reference/report.schema.json that render_json() follows. Minor: keys or
/// words were added.
inline constexpr const char* kSchemaVersion = "1.4";

struct JsonOptions {
  Images images = Images::kFull;  ///< PNG in base64: what goes to a pipe has no file beside it.
};

/// The verdict as JSON (RFC 8259), indented, pure ASCII, keys in a fixed order, one newline at the
/// end. Names are kept whole; broken UTF-8 becomes U+FFFD; NaN, infinities and what is absent
/// become null.
std::string render_json(const diagnose::Verdict& verdict, const JsonOptions& options = {});

/// The key "first_layer" of that; null for nothing.
nlohmann::ordered_json first_layer_json(const std::optional<diagnose::FirstLayer>& first);

}  // namespace edgeprobe::report
