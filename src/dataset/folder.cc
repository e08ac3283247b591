#include "dataset/folder.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/file.h"
#include "core/text.h"

namespace edgeprobe::dataset {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostEncoded = std::size_t{256} << 20;

bool is_picture(const fs::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c); });
  return extension == ".jpg" || extension == ".jpeg" || extension == ".png" || extension == ".bmp";
}

Result<std::vector<fs::path>> pictures_below(const fs::path& root) {
  std::error_code failure;
  if (fs::is_regular_file(root, failure)) return std::vector<fs::path>{root};
  if (!fs::is_directory(root, failure))
    return Error{Fault::kNotFound, "'" + printable(root.string()) + "' is neither a folder nor a file"};
  std::vector<fs::path> paths;
  auto at = fs::recursive_directory_iterator(root, fs::directory_options::skip_permission_denied, failure);
  for (; !failure && at != fs::recursive_directory_iterator(); at.increment(failure)) {
    std::error_code ignored;
    if (at->is_regular_file(ignored) && is_picture(at->path())) paths.push_back(at->path());
  }
  if (failure)
    return Error{Fault::kUsage, "'" + printable(root.string()) + "': cannot list: " + failure.message()};
  return paths;
}

}  // namespace

Result<Loaded> load_encoded(Bytes encoded, std::string_view name) {
  auto decoded = preprocess::decode(encoded);
  if (!decoded) return std::move(decoded.error()).during("'" + printable(name) + "'");
  Loaded loaded;
  loaded.sha256 = sha256(encoded);
  loaded.exif_orientation = decoded->exif_orientation;
  loaded.image = std::move(decoded->image);
  loaded.encoded = std::move(encoded);
  return loaded;
}

Result<std::vector<Sample>> open_folder(const fs::path& root, const Labels& labels, std::size_t most) {
  auto paths = pictures_below(root);
  if (!paths) return paths.error();
  if (paths->empty())
    return Error{Fault::kUsage, "'" + printable(root.string()) + "' holds no .jpg, .png or .bmp file"};
  std::vector<std::pair<std::string, fs::path>> named;
  for (const fs::path& path : *paths)
    named.emplace_back(path == root ? path.filename().string() : path.lexically_relative(root).generic_string(), path);
  std::sort(named.begin(), named.end());

  Labels known = labels;
  if (known.from_folders && known.classes.empty()) {
    std::set<std::string> folders;
    for (const auto& [name, path] : named)
      if (const std::size_t slash = name.find('/'); slash != std::string::npos) folders.insert(name.substr(0, slash));
    known.classes.assign(folders.begin(), folders.end());
  }

  std::map<std::string, int> files_called;
  for (const auto& [name, path] : named) ++files_called[path.filename().string()];
  const auto label = [&](const std::string& name, const fs::path& path) {
    const auto exact = label_of(known, name);
    const std::string file = path.filename().string();
    // Two files of one name: an entry without folders could mean either, so it labels none.
    return exact || known.from_folders || files_called[file] > 1 ? exact : label_of(known, file);
  };

  std::vector<Sample> samples;
  const std::size_t count = most == 0 ? named.size() : std::min(most, named.size());
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [name, path] = named[i * named.size() / count];
    samples.push_back({name, label(name, path), [name = name, path = path]() -> Result<Loaded> {
                         auto bytes = read_file(path, kMostEncoded);
                         if (!bytes) return std::move(bytes.error());
                         return load_encoded(*std::move(bytes), name);
                       }});
  }
  return samples;
}

}  // namespace edgeprobe::dataset
