// SPDX-License-Identifier: Apache-2.0
#include "cli/train/preparation.h"

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/terminal/progress.h"
#include "cli/train/ordered_work.h"
#include "cli/train/store.h"
#include "core/file.h"
#include "core/text.h"
#include "pipeline/inputs/picture.h"

namespace edgeprobe::cli {
namespace {

namespace fs = std::filesystem;
using dataset::Part;
using nlohmann::ordered_json;

constexpr std::array kParts{Part::kTrain, Part::kValidation, Part::kTest};
constexpr std::size_t kAhead = 8;

Result<Tensor> input_of(const TrainingSample& one, const preprocess::Recipe& recipe,
                        const TensorSpec& spec) {
  EP_TRY(const auto loaded, one.sample.load());
  auto made = pipeline::model_input(recipe, loaded.input, spec);
  if (!made) return std::move(made).error().during("'" + sanitized(one.sample.name) + "'");
  return made;
}

TensorSpec spec_of(const Shape& shape) {
  TensorSpec spec{"input", DType::kFloat32, {1}, {}};
  spec.shape.insert(spec.shape.end(), shape.begin(), shape.end());
  return spec;
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

/// CPU time of this process so far.
double cpu_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// The samples that were stored, part after part.
class Contents {
 public:
  void add(const TrainingSample& one) {
    labels_.push_back(one.label);
    ++counts_[static_cast<std::size_t>(one.part)];
    names_.push_back(&one);
  }
  const std::vector<std::int32_t>& labels() const { return labels_; }
  std::size_t count(Part part) const { return counts_[static_cast<std::size_t>(part)]; }

  ordered_json ranges() const {
    auto ranges = ordered_json::object();
    std::size_t begin = 0;
    for (const Part part : kParts) {
      ranges[dataset::name(part)] = {begin, begin + count(part)};
      begin += count(part);
    }
    return ranges;
  }
  std::string csv(const std::vector<std::string>& classes) const {
    std::string text = "sample,part,class,sha256\n";
    for (const TrainingSample* const one : names_)
      text += csv_field(one->sample.name) + "," + dataset::name(one->part) + "," +
              csv_field(classes[static_cast<std::size_t>(one->label)]) + "," + one->hash + "\n";
    return text;
  }

 private:
  std::vector<std::int32_t> labels_;
  std::array<std::size_t, kParts.size()> counts_{};
  std::vector<const TrainingSample*> names_;
};

/// The store of a run before, if it is complete and of the same key.
std::optional<PreparedStore> store_there(const fs::path& folder, const std::string& key) {
  const auto bytes = read_file(folder / "store.json", std::size_t{64} << 20);
  if (!bytes) return std::nullopt;
  const auto about = ordered_json::parse(ByteView(*bytes).text(), nullptr, false);
  std::error_code failed;
  if (!about.is_object() || about.value("key", "") != key) return std::nullopt;
  PreparedStore there;
  there.bytes = about.value("bytes", std::uint64_t{0});
  if (fs::file_size(folder / "inputs.npy", failed) != there.bytes || failed) return std::nullopt;
  there.samples = about.value("samples", std::size_t{0});
  there.holds_codes = about.value("codes", false);
  for (const auto& one : about.value("left_out", ordered_json::array()))
    there.left_out.push_back({one.value("sample", ""), one.value("why", "")});
  there.was_there = true;
  return there;
}

/// kUsage if broken samples emptied a part.
Status check_parts(const Contents& contents, const Preparation& preparation,
                   const std::vector<dataset::Unreadable>& left_out) {
  std::array<std::size_t, kParts.size()> before{};
  for (const TrainingSample& one : preparation.samples)
    ++before[static_cast<std::size_t>(one.part)];
  for (const Part part : kParts)
    if (contents.count(part) == 0 &&
        (part == Part::kTrain || before[static_cast<std::size_t>(part)]))
      return Error{ErrorKind::kUsage,
                   std::string("no sample for ") + dataset::name(part) + " can be used" +
                       (left_out.empty() ? "" : ": " + sanitized(left_out.back().why, 300))};
  return {};
}

Result<PreparedStore> write_store(const Preparation& preparation, const std::string& key,
                                  const fs::path& folder, Terminal& terminal) {
  std::error_code failed;
  fs::remove_all(folder, failed);
  fs::create_directories(folder, failed);
  EP_TRY(auto store, StoreWriter::create(folder, preparation.shape));

  PreparedStore done;
  const auto begin = std::chrono::steady_clock::now();
  const double cpu_before = cpu_seconds();
  done.left_out = preparation.left_out;
  Contents contents;
  const TensorSpec spec = spec_of(preparation.shape);
  const auto& samples = preparation.samples;
  const bool are_files = std::all_of(samples.begin(), samples.end(), [](const TrainingSample& one) {
    return one.sample.hash != nullptr;
  });
  Progress progress(terminal, "preparing");
  Status wrong;
  in_order<Result<Tensor>>(
      samples.size(), are_files ? std::max(1u, std::thread::hardware_concurrency()) : 1, kAhead,
      [&](std::size_t i) { return input_of(samples[i], preparation.recipe, spec); },
      [&](std::size_t i, Result<Tensor> made) {
        if (terminal.stopped()) {
          wrong = interrupted();
          return false;
        }
        progress.show(i + 1, samples.size(), "samples");
        if (!made) {
          done.left_out.push_back({samples[i].sample.name, made.error().what});
          return true;
        }
        const Bytes& bytes = made->bytes;
        wrong =
            store.add({reinterpret_cast<const float*>(bytes.data()), bytes.size() / sizeof(float)});
        if (wrong) contents.add(samples[i]);
        return wrong.has_value();
      });
  EP_CHECK(wrong);
  EP_CHECK(check_parts(contents, preparation, done.left_out));
  EP_CHECK(store.finish(contents.labels()));
  done.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  done.cpu_seconds = cpu_seconds() - cpu_before;
  done.samples = store.count();
  done.holds_codes = store.holds_codes();
  done.bytes = fs::file_size(folder / "inputs.npy", failed);
  auto left_out = ordered_json::array();
  for (const dataset::Unreadable& one : done.left_out)
    left_out.push_back({{"sample", one.name}, {"why", one.why}});
  const auto axis = channel_axis(preparation.shape);
  const ordered_json about{{"key", key},
                           {"samples", done.samples},
                           {"bytes", done.bytes},
                           {"codes", done.holds_codes},
                           {"channel_axis", axis ? ordered_json(*axis) : ordered_json(nullptr)},
                           {"parts", contents.ranges()},
                           {"left_out", left_out}};
  EP_CHECK(write_file(folder / "samples.csv", view_of(contents.csv(preparation.classes))));
  EP_CHECK(write_file(folder / "store.json",
                      view_of(about.dump(1, ' ', false, ordered_json::error_handler_t::replace))));
  return done;
}

}  // namespace

std::string Preparation::key() const {
  std::string text = preprocess::to_text(recipe) + "\n" + edgeprobe::to_text(shape) + "\n";
  for (const TrainingSample& one : samples)
    text += std::string(dataset::name(one.part)) + " " + std::to_string(one.label) + " " +
            one.hash + "\n";
  return sha256(view_of(text));
}

Result<Shape> shape_of(const std::vector<TrainingSample>& samples,
                       const preprocess::Recipe& recipe) {
  std::optional<Error> first;
  for (const TrainingSample& one : samples) {
    for (const std::size_t rank : {std::size_t{3}, std::size_t{2}, std::size_t{1}}) {
      const auto made = input_of(one, recipe, spec_of(Shape(rank, -1)));
      if (made) {
        const Shape& shape = made->spec.shape;
        return Shape(shape.begin() + 1, shape.end());
      }
      if (!first) first = made.error();
    }
  }
  if (!first) return Error{ErrorKind::kUsage, "there is no sample to train on"};
  return *first;
}

Result<PreparedStore> prepare_store(const Preparation& preparation, const fs::path& folder,
                                    Terminal& terminal) {
  const std::string key = preparation.key();
  if (auto there = store_there(folder, key)) return *std::move(there);
  auto done = write_store(preparation, key, folder, terminal);
  // A part of the inputs, left by a full disk or Ctrl-C, would only take space.
  std::error_code ignored;
  if (!done) fs::remove_all(folder, ignored);
  return done;
}

}  // namespace edgeprobe::cli
