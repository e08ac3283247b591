// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "core/tensor.h"
#include "dataset/labels.h"
#include "dataset/sample.h"

namespace edgeprobe::dataset {

/// Every .jpg, .jpeg, .png and .bmp file and every camera frame (frame_name.h) below `root` (or the
/// one file that `root` is), in the byte order of their relative names. Symbolic links to folders
/// are not followed. Labels come from `labels` alone; they are never guessed. Pictures of other
/// kinds (.webp, .heic, …) are listed, so that loading them says why they are left out. A folder
/// without any picture is one of recordings: its .wav, .flac, .ogg, … files. A CSV entry without
/// folders also names the one file of that name below `root`. With `most` > 0, that many
/// samples evenly spread over the whole list. kNotFound when there is no folder, kUsage when it
/// holds neither.
Result<std::vector<Sample>> open_folder(const std::filesystem::path& root, const Labels& labels,
                                        std::size_t most = 0);

/// Whether a file holds arrays, by its ending.
bool is_npz_name(std::string_view file_name);

/// The samples of a NumPy archive: an array for each input of the model, by its name (also
/// "model_input/NAME", as `trace export --npz` writes them), whose first axis counts the samples.
/// Beside them may stand: "samples", their names (else "0000", "0001", …); "labels", class indices,
/// which `labels` go before; "sequences", a number or text for each sample: where it changes
/// another sequence begins. Arrays of stages that are no input ("model_output/NAME", …) are left
/// out. Fails as archive::parse_npz(), and with kUsage where the arrays do not count the same
/// samples.
Result<std::vector<Sample>> open_npz(const std::filesystem::path& file, const Labels& labels);

/// A TensorProto of its own, as in input_0.pb. kCorrupt or kUnsupported begins with `title`.
Result<Tensor> parse_onnx_tensor(ByteView bytes, const std::string& title);

/// Whether a folder holds ONNX test data: input_0.pb, or folders test_data_set_0, … with it.
bool is_onnx_tests(const std::filesystem::path& folder);

/// A sample for each set, in the order of their numbers. An array without a name is an input by the
/// number of its file ("arr_0"). kCorrupt names the file.
Result<std::vector<Sample>> open_onnx_tests(const std::filesystem::path& folder,
                                            const Labels& labels);

/// Whether a file holds texts, by its ending: .txt or .csv.
bool is_texts_name(std::string_view file_name);

/// The samples of a file of texts, "reviews.csv:2" by their line. A .txt has one text a line. A
/// .csv has a header line with the column `text`, or `text_a` and `text_b` for pairs, and may have
/// `label`, a class number (`labels` go before); RFC 4180, no record spans lines. Empty lines of a
/// .txt are texts, too. kCorrupt names the line that is no UTF-8 or no CSV, and what is missing.
Result<std::vector<Sample>> open_texts(const std::filesystem::path& file, const Labels& labels);

}  // namespace edgeprobe::dataset
