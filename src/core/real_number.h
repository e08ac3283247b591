// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace edgeprobe {

/// The whole text as a number, as std::from_chars reads it: no spaces, no plus sign, a point in
/// every locale. Nothing for other texts and for numbers that a float cannot hold.
std::optional<float> float_of(std::string_view text);

/// The same without std::from_chars, which libc++ before version 20 (Android's NDK) lacks for real
/// numbers. Reads no "inf" and "nan".
std::optional<float> float_by_stream(std::string_view text);

}  // namespace edgeprobe
