// SPDX-License-Identifier: Apache-2.0
#include "cli/train/store.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <sstream>

#include "archive/npz.h"
#include "cli/train/ordered_work.h"
#include "cli/train/preparation.h"
#include "core/file.h"
#include "core/scratch_folder.h"
#include "dataset/labels.h"
#include "dataset/sources.h"
#include "pipeline/inputs/picture.h"
#include "source_dir.h"

namespace edgeprobe::cli {
namespace {

namespace fs = std::filesystem;

Tensor npy(const fs::path& file) {
  const auto bytes = read_file(file);
  EXPECT_TRUE(bytes) << file;
  auto read = archive::parse_npy(*bytes, file.filename().string());
  EXPECT_TRUE(read) << read.error().what;
  return read->arrays.front();
}

std::vector<float> floats(const Tensor& tensor) {
  std::vector<float> values(tensor.bytes.size() / sizeof(float));
  std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
  return values;
}

/// The values of all samples, as python/edgeprobe/train/store.py restores them.
std::vector<float> restored(const fs::path& folder, std::size_t channels, bool channels_last) {
  const Tensor inputs = npy(folder / "inputs.npy");
  if (inputs.spec.dtype == DType::kFloat32) return floats(inputs);
  const std::vector<float> table = floats(npy(folder / "table.npy"));
  const std::size_t tables = table.size() / 256;
  const std::size_t size = inputs.bytes.size() / static_cast<std::size_t>(inputs.spec.shape[0]);
  std::vector<float> values;
  for (std::size_t i = 0; i < inputs.bytes.size(); ++i) {
    const std::size_t at = i % size;
    const std::size_t channel = channels_last ? at % channels : at / (size / channels);
    const auto code = static_cast<std::size_t>(inputs.bytes[i]);
    values.push_back(table[(tables == 1 ? 0 : channel) * 256 + code]);
  }
  return values;
}

void expect_same_bits(const std::vector<float>& got, const std::vector<float>& wanted) {
  ASSERT_EQ(got.size(), wanted.size());
  EXPECT_EQ(std::memcmp(got.data(), wanted.data(), got.size() * sizeof(float)), 0);
}

/// Stores samples of these values, and expects them back bit for bit.
void store_and_read(const std::vector<std::vector<float>>& samples, const Shape& shape, bool codes,
                    std::size_t tables) {
  const auto folder = ScratchFolder::make();
  ASSERT_TRUE(folder);
  auto store = StoreWriter::create(folder->path(), shape);
  ASSERT_TRUE(store);
  std::vector<float> all;
  for (const auto& sample : samples) {
    ASSERT_TRUE(store->add(sample));
    all.insert(all.end(), sample.begin(), sample.end());
  }
  ASSERT_TRUE(store->finish(std::vector<std::int32_t>(samples.size(), 3)));
  EXPECT_EQ(store->holds_codes(), codes);
  if (codes) {
    EXPECT_EQ(npy(folder->path() / "table.npy").spec.shape, (Shape{std::int64_t(tables), 256}));
  }
  const auto axis = channel_axis(shape);
  const bool last = axis.value_or(2) == 2;
  expect_same_bits(restored(folder->path(), axis ? std::size_t(shape[*axis]) : 1, last), all);
  Shape whole{static_cast<std::int64_t>(samples.size())};
  whole.insert(whole.end(), shape.begin(), shape.end());
  EXPECT_EQ(npy(folder->path() / "inputs.npy").spec.shape, whole);
  EXPECT_EQ(npy(folder->path() / "labels.npy").spec.shape, (Shape{whole[0]}));
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder->path())) ++files;
  EXPECT_EQ(files, codes ? 3u : 2u) << "a form that was given up is left";
}

std::vector<float> ramp(std::size_t count, float step, float first = 0) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = first + step * static_cast<float>(i);
  return values;
}

TEST(Store, KeepsCodesOfOneTable) {
  store_and_read({ramp(192, 0.25f), ramp(192, 0.25f), std::vector<float>(192, -0.0f)}, {8, 8, 3},
                 true, 1);
}

TEST(Store, GivesEachChannelATableOnceOneIsNotEnough) {
  for (const bool last : {true, false}) {
    std::vector<std::vector<float>> samples(3, std::vector<float>(192 * 4));
    for (std::size_t s = 0; s < samples.size(); ++s)
      for (std::size_t i = 0; i < samples[s].size(); ++i) {
        const std::size_t channel = last ? i % 3 : i / 256;
        const std::size_t pixel = last ? i / 3 : i % 256;
        samples[s][i] =
            static_cast<float>((pixel * (s + 1)) % 256) + 1000.0f * static_cast<float>(channel);
      }
    store_and_read(samples, last ? Shape{16, 16, 3} : Shape{3, 16, 16}, true, 3);
  }
}

TEST(Store, KeepsFloatsWhereCodesAreNotEnough) {
  // The 257th value comes in the last sample.
  store_and_read({ramp(256, 1), ramp(256, 1), ramp(256, 1, 0.5f)}, {16, 16}, false, 0);
  store_and_read({ramp(256, 1), ramp(256, 1)}, {16, 16}, true, 1);
}

TEST(Store, HoldsWhatTheRecipeMakesOfRealPictures) {
  const fs::path data = fs::path(test::source_dir()) / "models/data";
  dataset::Labels labels;
  const auto opened = dataset::open_folder(data / "test", labels, 24);
  ASSERT_TRUE(opened);
  for (const auto& [text, codes] :
       {std::pair{"resize(64x48, bicubic, like=pillow) | color(rgb) | scale(-1..1) | layout(nhwc)",
                  true},
        std::pair{"resize(64x48, bilinear, like=pillow) | normalize(mean=[123.675,116.28,103.53], "
                  "std=[58.395,57.12,57.375]) | layout(nchw)",
                  true},
        std::pair{"resize(32x32, bilinear) | scale(0..1) | layout(nhwc)", false}}) {
    const auto folder = ScratchFolder::make();
    ASSERT_TRUE(folder);
    Preparation preparation;
    const auto recipe = preprocess::parse_recipe(text);
    ASSERT_TRUE(recipe) << recipe.error().what;
    preparation.recipe = *recipe;
    preparation.classes = {"a", "b"};
    for (std::size_t i = 0; i < opened->size(); ++i)
      preparation.samples.push_back({(*opened)[i],
                                     i < 20 ? dataset::Part::kTrain : dataset::Part::kTest,
                                     static_cast<std::int32_t>(i % 2), std::to_string(i)});
    // A broken one, which is left out.
    preparation.samples[7].sample.load = [] {
      return Result<dataset::Loaded>(Error{ErrorKind::kCorrupt, "'x' is broken"});
    };
    const auto shape = shape_of(preparation.samples, preparation.recipe);
    ASSERT_TRUE(shape) << shape.error().what;
    preparation.shape = *shape;
    std::ostringstream out, err;
    Terminal terminal{out, err};
    const auto done = prepare_store(preparation, folder->path() / "store", terminal);
    ASSERT_TRUE(done) << done.error().what;
    EXPECT_EQ(done->holds_codes, codes) << text;
    EXPECT_EQ(done->samples, 23u);
    ASSERT_EQ(done->left_out.size(), 1u);
    EXPECT_EQ(done->left_out[0].why, "'x' is broken");
    std::vector<float> wanted;
    for (std::size_t i = 0; i < opened->size(); ++i) {
      if (i == 7) continue;
      const auto loaded = (*opened)[i].load();
      ASSERT_TRUE(loaded);
      TensorSpec spec{"x", DType::kFloat32, {1, shape->at(0), shape->at(1), shape->at(2)}, {}};
      const auto made = pipeline::model_input(*recipe, loaded->input, spec);
      ASSERT_TRUE(made) << made.error().what;
      const std::vector<float> values = floats(*made);
      wanted.insert(wanted.end(), values.begin(), values.end());
    }
    expect_same_bits(restored(folder->path() / "store", 3, shape->at(2) == 3), wanted);
    // The same again is not prepared again; other samples are.
    EXPECT_TRUE(prepare_store(preparation, folder->path() / "store", terminal)->was_there);
    preparation.samples[3].hash = "other";
    EXPECT_FALSE(prepare_store(preparation, folder->path() / "store", terminal)->was_there);
  }
}

TEST(InOrder, TakesInOrderAndStops) {
  std::vector<std::size_t> taken;
  std::atomic<std::size_t> made{0};
  in_order<std::size_t>(
      100, 4, 5,
      [&](std::size_t i) {
        ++made;
        return i * i;
      },
      [&](std::size_t i, std::size_t value) {
        EXPECT_EQ(value, i * i);
        taken.push_back(i);
        return i < 50;
      });
  EXPECT_EQ(taken.size(), 51u);
  EXPECT_LE(made.load(), 60u);
  in_order<int>(
      0, 4, 5, [](std::size_t) { return 1; }, [](std::size_t, int) { return true; });
}

}  // namespace
}  // namespace edgeprobe::cli
