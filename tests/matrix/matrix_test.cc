// SPDX-License-Identifier: Apache-2.0
#include "matrix/matrix.h"
#include "matrix/rounding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/fixtures.h"
#include "source_dir.h"

namespace edgeprobe::matrix {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Pair agrees(std::size_t a, std::size_t b) { return {a, b, false, 0.001, "", true, false}; }
Pair differs(std::size_t a, std::size_t b) { return {a, b, false, 0.9, "", false, false}; }

TEST(Majority, IsTheLargestSetThatAgreesWithItself) {
  EXPECT_THAT(majority_of({0, 1, 2}, {agrees(0, 1), differs(0, 2), differs(1, 2)}),
              ElementsAre(0, 1));
  EXPECT_THAT(majority_of({0, 2, 5}, {differs(0, 2), differs(0, 5), agrees(2, 5)}),
              ElementsAre(2, 5));
  EXPECT_THAT(majority_of({0, 1}, {differs(0, 1)}), IsEmpty());
  EXPECT_THAT(majority_of({0, 1, 2, 3}, {agrees(0, 1), agrees(2, 3), differs(0, 2), differs(0, 3),
                                         differs(1, 2), differs(1, 3)}),
              IsEmpty())
      << "two of two: half is no majority";
  EXPECT_THAT(majority_of({0, 1, 2}, {agrees(0, 1), agrees(1, 2), differs(0, 2)}), IsEmpty())
      << "1 agrees with both, so either set would do";
  EXPECT_THAT(majority_of({}, {}), IsEmpty());
}

TEST(Majority, CountsALibraryOnce) {
  std::vector<Pair> two_against_three{agrees(0, 1), agrees(2, 3), agrees(2, 4), agrees(3, 4)};
  for (const std::size_t a : {0, 1})
    for (const std::size_t b : {2, 3, 4}) two_against_three.push_back(differs(a, b));
  EXPECT_THAT(majority_of({0, 1, 2, 3, 4}, two_against_three), ElementsAre(2, 3, 4));
  EXPECT_THAT(majority_of({0, 1, 2, 3, 4}, two_against_three, {0, 0, 2, 2, 2}), IsEmpty())
      << "one library against another";
  EXPECT_THAT(majority_of({0, 1, 2}, {differs(0, 1), agrees(0, 2), differs(1, 2)}, {0, 0, 2}),
              ElementsAre(0, 2));
  EXPECT_THAT(majority_of({0, 1, 2}, {agrees(0, 1), differs(0, 2), differs(1, 2)}, {0, 0, 0}),
              IsEmpty())
      << "kernel sets of one library";
}

TEST(Columns, AreReadFromText) {
  const auto column = column_from_text("tflite:reference", {});
  ASSERT_TRUE(column) << column.error().what;
  EXPECT_EQ(column->name, "tflite reference");
  EXPECT_EQ(engine::own<engine::TfliteOptions>(column->session).kernels,
            engine::Kernels::kReference);
  const auto library = column_from_text("tflite:/a/lib.so", {});
  ASSERT_TRUE(library);
  EXPECT_EQ(library->engine.library, "/a/lib.so");
  const auto both = column_from_text("tflite:/a/lib.so:builtin", {});
  ASSERT_TRUE(both);
  EXPECT_EQ(both->engine.library, "/a/lib.so");
  EXPECT_EQ(engine::own<engine::TfliteOptions>(both->session).kernels, engine::Kernels::kBuiltin);
  const auto level = column_from_text("onnxruntime:off", {});
  ASSERT_TRUE(level) << level.error().what;
  EXPECT_EQ(engine::own<engine::OnnxRuntimeOptions>(level->session).optimization,
            engine::Optimization::kOff);
  EXPECT_FALSE(column_from_text("onnxruntime:reference", {}));
  EXPECT_FALSE(column_from_text("litert:off", {}));
  EXPECT_FALSE(column_from_text("theano", {}));
}

TEST(RandomInputs, AreSeededAndFitTheirType) {
  const std::vector<TensorSpec> specs{{"f", DType::kFloat32, {2, 500}, {}},
                                      {"q", DType::kUInt8, {1000}, {{0.5f}, {3}, 0}},
                                      {"i", DType::kInt64, {100}, {}}};
  const auto first = random_inputs(specs, 7), again = random_inputs(specs, 7),
             other = random_inputs(specs, 8);
  ASSERT_EQ(first.size(), 3u);
  EXPECT_EQ(first[0].bytes, again[0].bytes);
  EXPECT_NE(first[0].bytes, other[0].bytes);
  const auto values = to_float(TensorView(first[0]));
  ASSERT_TRUE(values);
  const auto [least, most] = std::minmax_element(values->begin(), values->end());
  EXPECT_GE(*least, -1.f);
  EXPECT_LT(*most, 1.f);
  EXPECT_LT(*least, -0.9f);
  EXPECT_GT(*most, 0.9f);
  const auto indices = to_float(TensorView(first[2]));
  ASSERT_TRUE(indices);
  for (const float index : *indices) EXPECT_TRUE(index == 0.f || index == 1.f);
}

/// The project's own quantised model.
struct SignsModel {
  model::FileBytes file;
  Result<model::Graph> graph;
  SignsModel()
      : graph(model::load(std::string(edgeprobe::test::source_dir()) + "/models/signs_int8.tflite",
                          file)) {}
};

Inputs seeded() {
  return
      [](const std::vector<TensorSpec>& specs, std::size_t frame) -> Result<std::vector<Tensor>> {
        return random_inputs(specs, frame + 1);
      };
}

std::vector<Column> columns_of(const std::vector<std::string>& texts) {
  engine::SessionOptions base;
  base.load_limit = base.invoke_limit = std::chrono::seconds(300);
  std::vector<Column> columns;
  for (const std::string& text : texts) {
    auto column = column_from_text(text, base);
    EXPECT_TRUE(column) << column.error().what;
    if (column) columns.push_back(*std::move(column));
  }
  return columns;
}

TEST(Matrix, ComparesEveryLayerOnEveryEngine) {
  EDGEPROBE_NEED_ENGINE("tflite");
  EDGEPROBE_NEED_ENGINE("litert");
  SignsModel model;
  ASSERT_TRUE(model.graph) << model.graph.error().what;
  const auto matrix =
      run(*model.graph, model.file, "signs",
          columns_of({"litert:builtin", "tflite:builtin", "tflite:reference"}), seeded(), {});
  ASSERT_TRUE(matrix) << matrix.error().what;
  EXPECT_EQ(matrix->rows.size(), 19u);
  ASSERT_EQ(matrix->pairs.size(), 3u);
  for (const Row& row : matrix->rows) {
    for (std::size_t c = 0; c < 3; ++c) {
      EXPECT_EQ(row.problems[c], "") << row.name;
      EXPECT_TRUE(row.from_base[c].has_value()) << row.name;
    }
    EXPECT_TRUE(row.from_base[0]->exact);
  }
  EXPECT_TRUE(matrix->rows.back().output);
  EXPECT_EQ(matrix->majority.size(), 3u);
}

TEST(Matrix, AnEngineThatCannotBeOpenedCostsItsCellsAlone) {
  EDGEPROBE_NEED_ENGINE("tflite");
  SignsModel model;
  ASSERT_TRUE(model.graph) << model.graph.error().what;
  const auto matrix = run(
      *model.graph, model.file, "signs",
      columns_of({"tflite:/nowhere/lib.so", "tflite:builtin", "tflite:reference"}), seeded(), {});
  ASSERT_TRUE(matrix) << matrix.error().what;
  EXPECT_THAT(matrix->columns[0].problem, HasSubstr("/nowhere/lib.so"));
  EXPECT_EQ(matrix->base, 1u);
  for (const Row& row : matrix->rows) {
    EXPECT_FALSE(row.from_base[0]) << row.name;
    EXPECT_TRUE(row.from_base[2]) << row.name << row.problems[2];
  }
}

/// The recorded results of one engine, with the plain model's inputs and outputs.
struct Played {
  std::unique_ptr<engine::Engine> engine;
  std::vector<std::vector<Tensor>> inputs, outputs;
  Lane lane(engine::Kernels kernels) {
    engine::SessionOptions options;
    options.own = engine::TfliteOptions{kernels};
    return {engine.get(), options, &inputs, &outputs};
  }
};

Played play(const std::string& kind, engine::Kernels kernels, ByteView file) {
  Played played;
  engine::EngineChoice choice;
  choice.kind = kind;
  auto engine = engine::open_supervised(choice);
  EXPECT_TRUE(engine) << engine.error().what;
  played.engine = *std::move(engine);
  engine::SessionOptions options;
  options.own = engine::TfliteOptions{kernels};
  auto session = played.engine->load(file, "signs", options);
  EXPECT_TRUE(session) << session.error().what;
  played.inputs.push_back(random_inputs((*session)->inputs(), 1));
  auto inference = (*session)->infer({played.inputs[0].begin(), played.inputs[0].end()});
  EXPECT_TRUE(inference) << inference.error().what;
  played.outputs.push_back(std::move(inference->outputs));
  return played;
}

TEST(Rounding, IsAllThatLiesBetweenHealthyKernels) {
  EDGEPROBE_NEED_ENGINE("tflite");
  EDGEPROBE_NEED_ENGINE("litert");
  SignsModel model;
  ASSERT_TRUE(model.graph) << model.graph.error().what;
  Played host = play("tflite", engine::Kernels::kReference, model.file),
         judged = play("litert", engine::Kernels::kXnnpack, model.file);
  const Lane reference = host.lane(engine::Kernels::kReference),
             xnnpack = judged.lane(engine::Kernels::kXnnpack);
  EXPECT_TRUE(only_rounding(*model.graph, model.file, "signs", reference, xnnpack,
                            std::size_t{128} << 20, {}));
  EXPECT_FALSE(only_rounding(*model.graph, model.file, "signs", reference, xnnpack, 1000, {}))
      << "what does not fit is not judged";
  // The outputs differ from those of the captured run: something happened that the layers do not
  // show.
  judged.outputs[0][0].bytes[0] ^= std::byte{1};
  EXPECT_FALSE(only_rounding(*model.graph, model.file, "signs", reference, xnnpack,
                             std::size_t{128} << 20, {}));
}

TEST(RandomInputs, OfWholeNumbersStayWithinTheirFeed) {
  const std::vector<TensorSpec> specs{{"ids", DType::kInt32, {1000}, {}},
                                      {"mask", DType::kInt64, {10}, {}}};
  const std::vector<model::Feed> feeds{{"ids", 0, 4, "words"}, {"mask", 1, 1, ""}};
  const auto made = random_inputs(specs, 3, feeds);
  const auto ids = to_float(TensorView(made[0])), mask = to_float(TensorView(made[1]));
  ASSERT_TRUE(ids && mask);
  EXPECT_EQ(*std::min_element(ids->begin(), ids->end()), 0.f);
  EXPECT_EQ(*std::max_element(ids->begin(), ids->end()), 4.f);
  for (const float one : *mask) EXPECT_EQ(one, 1.f);
}

}  // namespace
}  // namespace edgeprobe::matrix
