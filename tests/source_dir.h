// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace edgeprobe::test {

/// Folder of the checkout. A definition on the command line would differ in each checkout, so a
/// compiler cache could not share object files of the tests.
const char* source_dir();

}  // namespace edgeprobe::test
