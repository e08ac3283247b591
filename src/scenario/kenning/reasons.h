// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Reasons that several tables of Kenning's names share. Internal to this folder.
namespace edgeprobe::scenario::kenning {

inline constexpr const char* kBatch =
    "each sample is one inference; use `bench --batch` for batches";
inline constexpr const char* kBoard = "edgeprobe does not flash or simulate boards";
inline constexpr const char* kChart = "edgeprobe's report chooses its charts itself";
inline constexpr const char* kClass = "an option of the class, where it runs itself";
inline constexpr const char* kCuda = "edgeprobe runs TVM only on the processor";
inline constexpr const char* kEditor = "a scenario is a text file; write it with any editor";
inline constexpr const char* kFetch =
    "get the files with Kenning or by hand: edgeprobe fetches only data sets with a published hash";
inline constexpr const char* kLanguage =
    "answers of a language model are sampled texts, which edgeprobe does not score";
inline constexpr const char* kRos =
    "a node of ROS 2 is a running app: a probe records it (`docs/guides/own-app.md`)";
inline constexpr const char* kSearch =
    "`edgeprobe optimize` measures all chains and keeps what is finished";
inline constexpr const char* kArchitecture =
    "edgeprobe trains a given architecture; it does not search for one";

}  // namespace edgeprobe::scenario::kenning
