// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/why/array_file.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "archive/npz.h"
#include "core/file.h"
#include "core/text.h"
#include "dataset/sources.h"

namespace edgeprobe::cli {
namespace {

/// "FILE.npz:NAME"; a file with this whole name takes precedence.
struct Named {
  std::string path, array;
};
Named split(const std::string& what) {
  constexpr std::string_view kEnding = ".npz:";
  std::error_code failure;
  const std::size_t at = what.rfind(kEnding);
  if (at == std::string::npos || std::filesystem::exists(what, failure)) return {what, ""};
  return {what.substr(0, at + kEnding.size() - 1), what.substr(at + kEnding.size())};
}

std::string names_of(const archive::Npz& npz) {
  return joined(npz.arrays, ", ",
                [](const Tensor& array) { return "'" + sanitized(array.spec.name, 60) + "'"; });
}

Result<Tensor> chosen(archive::Npz npz, const Named& named) {
  const std::string who = "'" + sanitized(named.path) + "'";
  if (npz.arrays.empty()) return Error{ErrorKind::kUsage, who + " contains no array of numbers"};
  if (named.array.empty()) {
    if (npz.arrays.size() == 1) return std::move(npz.arrays.front());
    return Error{ErrorKind::kUsage, who + " holds several arrays (" + names_of(npz) +
                                        "): say which, as " + sanitized(named.path) + ":NAME"};
  }
  const auto at = std::find_if(npz.arrays.begin(), npz.arrays.end(),
                               [&](const Tensor& array) { return array.spec.name == named.array; });
  if (at != npz.arrays.end()) return std::move(*at);
  return Error{ErrorKind::kUsage, who + " has no array '" + sanitized(named.array, 60) +
                                      "'; it holds " + names_of(npz)};
}

}  // namespace

Result<Tensor> array_from(const std::string& what) {
  const Named named = split(what);
  EP_TRY(const auto file, read_file(named.path));
  const ByteView bytes = file;
  const std::string name = std::filesystem::path(named.path).filename().string();
  if (bytes.text().substr(0, 6) == "\x93NUMPY") {
    EP_TRY(auto npy, archive::parse_npy(bytes, name));
    return chosen(std::move(npy), named);
  }
  if (bytes.text().substr(0, 2) == "PK") {
    EP_TRY(auto npz, archive::parse_npz(bytes));
    return chosen(std::move(npz), named);
  }
  if (name.ends_with(".pb")) return dataset::parse_onnx_tensor(bytes, "'" + sanitized(name) + "'");
  return Error{ErrorKind::kUsage,
               "'" + sanitized(what) +
                   "' is not a NumPy array; expected a file written by numpy.save or numpy.savez "
                   "(raw values: numpy.fromfile(FILE, dtype).reshape(SHAPE) reads them)"};
}

}  // namespace edgeprobe::cli
