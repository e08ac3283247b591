// SPDX-License-Identifier: Apache-2.0
#include "dataset/sources.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "audio/decode.h"
#include "core/file.h"
#include "core/text.h"
#include "dataset/frame_name.h"
#include "dataset/tables.h"

namespace edgeprobe::dataset {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostEncoded = std::size_t{256} << 20;

// Files treated as samples. Undecodable pictures are listed too, so that they are reported instead
// of skipped.
constexpr std::array<std::string_view, 12> kEndings{".jpg",  ".jpeg", ".png",  ".bmp",
                                                    ".gif",  ".webp", ".tif",  ".tiff",
                                                    ".heic", ".heif", ".avif", ".ppm"};

bool is_picture(const fs::path& path) {
  if (is_frame_name(path.filename().string())) return true;
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(), [](unsigned char c) {
    return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  });
  return std::find(kEndings.begin(), kEndings.end(), extension) != kEndings.end();
}

/// Files of one kind.
struct Files {
  std::vector<fs::path> paths;
  bool are_tables = false;
};

Result<Files> samples_below(const fs::path& root) {
  std::error_code failure;
  if (fs::is_regular_file(root, failure)) return Files{{root}, is_table_name(root)};
  if (!fs::is_directory(root, failure))
    return Error{ErrorKind::kUsage,
                 "'" + sanitized(root.string()) + "' is neither a folder nor a file"};
  std::vector<fs::path> paths, sounds, tables;
  auto at = fs::recursive_directory_iterator(root, fs::directory_options::skip_permission_denied,
                                             failure);
  for (; !failure && at != fs::recursive_directory_iterator(); at.increment(failure)) {
    std::error_code ignored;
    if (!at->is_regular_file(ignored)) continue;
    if (is_picture(at->path())) paths.push_back(at->path());
    else if (audio::is_sound_name(at->path().filename().string())) sounds.push_back(at->path());
    else if (is_table_name(at->path())) tables.push_back(at->path());
  }
  if (failure)
    return Error{ErrorKind::kUsage,
                 "'" + sanitized(root.string()) + "': cannot list: " + failure.message()};
  // If there are pictures, a sound is not a sample: e.g. an alarm tone among the app's own files.
  if (!paths.empty()) return Files{paths, false};
  if (!sounds.empty()) return Files{sounds, false};
  // Other tables, such as labels, may be in the same folder as recordings.
  std::erase_if(tables, [](const fs::path& path) { return !holds_recording(path); });
  return Files{tables, true};
}

}  // namespace

Sample sample_of_file(const fs::path& path, std::string name,
                      std::optional<task::Annotation> annotation) {
  Sample sample{name, std::move(annotation), [name, path]() -> Result<Loaded> {
                  EP_TRY(auto bytes, read_file(path, kMostEncoded));
                  return load_file(std::move(bytes), name);
                }};
  sample.hash = [path]() -> Result<std::string> {
    EP_TRY(const auto file, MappedFile::open(path));
    return sha256(file);
  };
  return sample;
}

Result<std::vector<Sample>> open_folder(const fs::path& root, const Labels& labels,
                                        std::size_t most) {
  return open_folder(root, labels, most, nullptr);
}

Result<std::vector<Sample>> open_folder(const fs::path& root, const Labels& labels,
                                        std::size_t most, std::string* note) {
  EP_TRY(auto files, samples_below(root));
  const std::vector<fs::path>* const paths = &files.paths;
  if (paths->empty())
    return Error{
        ErrorKind::kUsage,
        "'" + sanitized(root.string()) +
            "' contains no .jpg, .png or .bmp file, no camera frame (.nv12, .nv21, .i420), no "
            "recording (.wav, .flac) and no .csv table of a sensor's readings"};
  std::vector<std::pair<std::string, fs::path>> named;
  for (const fs::path& path : *paths)
    named.emplace_back(
        path == root ? path.filename().string() : path.lexically_relative(root).generic_string(),
        path);
  std::sort(named.begin(), named.end());

  Labels known = labels;
  if (known.from_folders && known.classes.empty()) {
    std::set<std::string> folders;
    for (const auto& [name, path] : named)
      if (const std::size_t slash = name.find('/'); slash != std::string::npos)
        folders.insert(name.substr(0, slash));
    known.classes.assign(folders.begin(), folders.end());
  }

  std::map<std::string, int> files_called;
  for (const auto& [name, path] : named) ++files_called[path.filename().string()];
  const auto annotation = [&](const std::string& name, const fs::path& path) {
    const auto exact = annotation_of(known, name);
    const std::string file = path.filename().string();
    // With two files of one name, an entry without folders is ambiguous, so it labels neither.
    return exact || known.from_folders || files_called[file] > 1 ? exact
                                                                 : annotation_of(known, file);
  };

  std::vector<Sample> samples;
  Tables tables(known.classes);
  const std::size_t count = most == 0 ? named.size() : std::min(most, named.size());
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [name, path] = named[i * named.size() / count];
    if (files.are_tables) {
      EP_TRY(auto sample, tables.open(path, name, annotation(name, path)));
      samples.push_back(std::move(sample));
      continue;
    }
    samples.push_back(sample_of_file(path, name, annotation(name, path)));
  }
  if (note) *note = tables.note();
  return samples;
}

}  // namespace edgeprobe::dataset
