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

/// The sample of one picture, camera frame or recording, read when it is needed.
Sample sample_of_file(const std::filesystem::path& path, std::string name,
                      std::optional<task::Annotation> annotation);

/// Lists every .jpg, .jpeg, .png and .bmp file and every camera frame (frame_name.h) below `root`
/// (or the single file `root`), in byte order of relative names. Does not follow symbolic links to
/// folders. Labels come only from `labels` and are never guessed. Pictures of other kinds (.webp,
/// .heic, …) are listed, so that loading them reports why they are skipped. A folder without
/// pictures contains recordings: its .wav, .flac, .ogg, … files. A CSV entry without folders also
/// applies if exactly one file below `root` has that name. With `most` > 0, returns that many
/// samples evenly spread over the list. kNotFound if the folder does not exist, kUsage if it
/// contains neither pictures nor recordings.
Result<std::vector<Sample>> open_folder(const std::filesystem::path& root, const Labels& labels,
                                        std::size_t most = 0);

/// True if a file holds arrays, judged by its extension.
bool is_npz_name(std::string_view file_name);

/// Opens the samples of a NumPy archive: an array for each input of the model, by its name (also
/// "model_input/NAME", as `trace export --npz` writes them), whose first axis counts the samples.
/// Optional arrays: "samples", their names (default "0000", "0001", …); "labels", class indices,
/// overridden by `labels`; "sequences", a number or text for each sample: a change begins a new
/// sequence. Arrays of stages other than inputs ("model_output/NAME", …) are ignored. Errors of
/// archive::parse_npz(), and kUsage if the arrays have different numbers of samples.
Result<std::vector<Sample>> open_npz(const std::filesystem::path& file, const Labels& labels);

/// Parses a standalone TensorProto, such as input_0.pb. Messages of kCorrupt and kUnsupported begin
/// with `title`.
Result<Tensor> parse_onnx_tensor(ByteView bytes, const std::string& title);

/// True if a folder holds ONNX test data: input_0.pb, or folders test_data_set_0, … that contain
/// it.
bool is_onnx_tests(const std::filesystem::path& folder);

/// One sample for each set, in numerical order. An array without a name is assigned by the number
/// of its file ("arr_0"). kCorrupt names the file.
Result<std::vector<Sample>> open_onnx_tests(const std::filesystem::path& folder,
                                            const Labels& labels);

/// True if a file holds texts, judged by its extension: .txt or .csv.
bool is_texts_name(std::string_view file_name);

/// Opens the samples of a text file, named by line as "reviews.csv:2". A .txt has one text per
/// line. A .csv has a header line with the column `text`, or `text_a` and `text_b` for pairs, and
/// optionally `label`, a class number (`labels` override it); RFC 4180, but no record spans lines.
/// Empty lines of a .txt are texts, too. kCorrupt names the line that is not UTF-8 or not CSV, or
/// what is missing.
Result<std::vector<Sample>> open_texts(const std::filesystem::path& file, const Labels& labels);

}  // namespace edgeprobe::dataset
