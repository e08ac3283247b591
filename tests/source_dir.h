// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace edgeprobe::test {

/// Folder of the checkout. A definition on the command line would differ in each checkout, and so
/// would every object file of the tests in a compiler cache.
const char* source_dir();

}  // namespace edgeprobe::test
