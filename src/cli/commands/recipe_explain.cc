// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/recipe_explain.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/file.h"
#include "core/text.h"
#include "dataset/sources.h"
#include "pipeline/inputs/raw_inputs.h"
#include "pipeline/recipe_answers.h"
#include "pipeline/tokenizer/tokenizer.h"
#include "preprocess/recipe/text_steps.h"
#include "recipe/read.h"
#include "sensor/model_input.h"
#include "sensor/synthesis.h"
#include "text/encode.h"
#include "trace/read/answer_text.h"
#include "trace/read/reader.h"

namespace edgeprobe::cli {
namespace {

namespace fs = std::filesystem;
using Ids = std::vector<std::int64_t>;

/// Most ids, or entries of an answer, on one line.
constexpr std::size_t kMostShown = 24;

std::string range_text(double low, double high) { return number(low) + ".." + number(high); }

/// "11 ids: 2 '[CLS]', 45 'cat', …".
Result<std::string> ids_text(const Ids& ids, const char* word, pipeline::Tokenizer& tokenizer) {
  const Ids shown(ids.begin(),
                  ids.begin() + static_cast<std::ptrdiff_t>(std::min(ids.size(), kMostShown)));
  EP_TRY(const auto words, tokenizer.words(shown));
  std::string out = std::to_string(ids.size()) + " " + word + ": ";
  for (std::size_t i = 0; i < shown.size(); ++i) {
    out += (i ? ", " : "") + std::to_string(shown[i]);
    if (words[i]) out += " '" + sanitized(*words[i], 40) + "'";
  }
  return out + (shown.size() < ids.size() ? ", …" : "");
}

std::string values_text(const Ids& values) {
  std::string out;
  for (std::size_t i = 0; i < std::min(values.size(), 2 * kMostShown); ++i)
    out += (i ? " " : "") + std::to_string(values[i]);
  return out + (values.size() > 2 * kMostShown ? " …" : "");
}

/// The front end with its steps up to the named one; only tokens for "tokenize".
text::FrontEnd up_to(const text::FrontEnd& whole, const std::string& step) {
  const recipe::Steps steps = preprocess::text_steps();
  const int last = recipe::find_step(steps, step)->place;
  text::FrontEnd out = whole;
  if (last < recipe::find_step(steps, "special")->place) out.special = {};
  if (last < recipe::find_step(steps, "truncate")->place) out.truncate.reset();
  if (last < recipe::find_step(steps, "pad")->place) out.pad.reset();
  return out;
}

void print_step(const preprocess::Spelled& step, const std::string& what, Terminal& terminal) {
  terminal.out << sanitized(step.text, 400) << "\n    " << step.meaning << "\n    " << what << '\n';
}

Result<std::vector<std::string>> first_text(const std::string& path) {
  const fs::path file(path);
  if (!dataset::is_texts_name(file.filename().string()))
    return Error{ErrorKind::kUsage,
                 "a recipe of text explains a .txt or .csv file of texts, not '" +
                     sanitized(file.filename().string(), 100) + "'"};
  EP_TRY(const auto samples, dataset::open_texts(file, {}));
  if (samples.empty()) return Error{ErrorKind::kUsage, "the file contains no text"};
  EP_TRY(const auto loaded, samples.front().load());
  std::vector<std::string> texts;
  for (const dataset::TextPart& part : dataset::text_of(loaded.input)->parts)
    texts.push_back(part.text);
  return texts;
}

std::vector<Tensor> tensors_of(const trace::Reader& reader, std::uint32_t frame,
                               trace::Stage stage) {
  std::vector<const trace::ReadChannel*> channels;
  for (const trace::ReadChannel& channel : reader.channels())
    if (channel.channel.stage == stage && channel.messages > 0) channels.push_back(&channel);
  std::stable_sort(channels.begin(), channels.end(), [](const auto* a, const auto* b) {
    return a->channel.position < b->channel.position;
  });
  std::vector<Tensor> tensors;
  for (const trace::ReadChannel* channel : channels)
    if (const auto message = reader.read(frame, channel->id); message && *message)
      tensors.push_back((*message)->copy());
  return tensors;
}

std::string described(const Tensor& tensor) {
  std::string text = "'" + sanitized(tensor.spec.name, 80) + "' " + to_text(tensor.spec.shape) +
                     " " + name(tensor.spec.dtype);
  const auto values = stored_as_float(tensor);
  if (!values || values->empty()) return text;
  const auto [low, high] = std::minmax_element(values->begin(), values->end());
  return text + ", " + range_text(*low, *high);
}

}  // namespace

bool is_png(const fs::path& path) {
  const auto start = MappedFile::open(path);
  return start && start->bytes().text().substr(0, 4) == "\x89PNG";
}

Status draw_rows(const audio::Rows& rows, const std::string& folder, const std::string& file,
                 Terminal& terminal) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure)
    return Error{ErrorKind::kUsage, "--out: the folder cannot be made: " + failure.message()};
  const fs::path path = fs::path(folder) / file;
  if (fs::exists(path, failure) && !is_png(path))
    return Error{ErrorKind::kUsage,
                 "--out: '" + sanitized(path.string(), 400) +
                     "' exists and is not a PNG, so it is not overwritten; name another folder"};
  const auto [low, high] = std::minmax_element(rows.values.begin(), rows.values.end());
  const double least = *low, span = *high > *low ? *high - *low : 1;
  preprocess::Image image{static_cast<int>(rows.columns), static_cast<int>(rows.rows), 1, {}};
  for (std::size_t k = rows.columns; k-- > 0;)
    for (std::size_t t = 0; t < rows.rows; ++t)
      image.pixels.push_back(
          static_cast<std::uint8_t>(std::lround((rows.row(t)[k] - least) / span * 255)));
  auto png = preprocess::encode_png(image);
  if (!png) return std::move(png.error()).during(file);
  EP_CHECK(write_file(path, *png));
  terminal.out << file << "\n    the values, time to the right, the first of each step below\n";
  return {};
}

Result<Outcome> explain_text(const RecipeExplainArgs& args, const preprocess::Recipe& recipe,
                             const text::FrontEnd& front_end, Terminal& terminal) {
  if (args.tokenizer.empty())
    return Error{ErrorKind::kUsage,
                 "a recipe of text needs a tokenizer: --tokenizer tokenizer.json, "
                 "FILE.py:FUNCTION or a command"};
  EP_TRY(const auto texts, first_text(args.image));
  auto spec = pipeline::tokenizer_from_text(args.tokenizer);
  if (!spec) return std::move(spec.error()).during("--tokenizer");
  spec->interpreter = args.interpreter;
  auto tokenizer = pipeline::Tokenizer::start(*spec);
  if (!tokenizer) return std::move(tokenizer.error()).during("--tokenizer");
  for (const std::string& text : texts)
    terminal.out << "text\n    '" << sanitized(text, 400) << "'\n";
  std::size_t changes = 0;
  text::Tokens tokens;
  for (const preprocess::Spelled& step : preprocess::spelled(recipe)) {
    const std::string word = step.text.substr(0, step.text.find('('));
    const bool is_change = changes < front_end.before.size() && tokens.empty();
    if (is_change || word == "tokenize") {
      changes += is_change;
      const std::vector<text::TextStep> before(
          front_end.before.begin(),
          front_end.before.begin() + static_cast<std::ptrdiff_t>(changes));
      auto all = (*tokenizer)->encode({texts}, before, is_change ? "" : front_end.edit);
      if (!all) return std::move(all.error()).during(step.text);
      std::string what;
      for (const Ids& part : all->front()) {
        EP_TRY(auto line, ids_text(part, "tokens", **tokenizer));
        what += (what.empty() ? "" : "\n    ") + line;
      }
      if (!is_change) tokens = std::move(all->front());
      print_step(step, (is_change ? "tokenized now: " : "") + what, terminal);
      continue;
    }
    const text::Encoding made = text::encode(up_to(front_end, word), tokens);
    if (word == "mask" || word == "types" || word == "positions") {
      print_step(step,
                 values_text(word == "mask"    ? made.mask
                             : word == "types" ? made.types
                                               : made.positions),
                 terminal);
      continue;
    }
    EP_TRY(const auto line, ids_text(made.ids, "ids", **tokenizer));
    print_step(step, line, terminal);
  }
  return Outcome::kDone;
}

Result<Outcome> explain_readings(const RecipeExplainArgs& args, const preprocess::Recipe& recipe,
                                 const sensor::FrontEnd& front_end, Terminal& terminal) {
  const fs::path file(args.image);
  if (!dataset::is_npz_name(file.filename().string()))
    return Error{ErrorKind::kUsage, "a recipe of readings explains an .npz file, not '" +
                                        sanitized(file.filename().string(), 100) + "'"};
  EP_TRY(const auto samples, dataset::open_npz(file, {}));
  EP_TRY(const auto loaded, samples.front().load());
  EP_TRY(const auto series, dataset::readings_of(loaded.input));
  const auto [least, most] = std::minmax_element(series.values.begin(), series.values.end());
  terminal.out << "readings\n    " << series.steps() << " steps x " << series.axes << " axes, "
               << (series.rate > 0 ? number(series.rate, 7) + " Hz, " : "")
               << range_text(*least, *most) << '\n';
  EP_TRY(const auto made, sensor::features(series, front_end));
  for (const preprocess::Spelled& step : preprocess::spelled(recipe))
    terminal.out << sanitized(step.text, 400) << "\n    " << step.meaning << '\n';
  terminal.out << "values\n    " << made.steps << " steps x " << made.axes << " axes\n";
  for (std::size_t axis = 0; axis < made.axes; ++axis) {
    double low = made.at(0, axis), high = low, sum = 0;
    for (std::size_t t = 0; t < made.steps; ++t) {
      low = std::min(low, made.at(t, axis));
      high = std::max(high, made.at(t, axis));
      sum += made.at(t, axis);
    }
    terminal.out << "    axis " << axis << ": " << range_text(low, high) << ", mean "
                 << number(sum / static_cast<double>(made.steps)) << '\n';
  }
  if (!args.out.empty() && made.axes > 1)
    EP_CHECK(draw_rows({made.steps, made.axes, made.values}, args.out, "values.png", terminal));
  return Outcome::kDone;
}

Result<Outcome> explain_behind(const RecipeExplainArgs& args, const std::string& post,
                               Terminal& terminal) {
  if (fs::path(args.image).extension() != ".mcap")
    return Error{ErrorKind::kUsage,
                 "the half after the model explains recorded outputs: give a trace (.mcap), as "
                 "'edgeprobe run' writes it"};
  auto reader = trace::Reader::open(args.image);
  if (!reader) return std::move(reader.error()).during("trace");
  if (reader->frames().empty()) return Error{ErrorKind::kUsage, "the trace contains no frame"};
  const std::uint32_t frame = reader->frames().front();
  const auto outputs = tensors_of(*reader, frame, trace::Stage::kModelOutput);
  const auto inputs = tensors_of(*reader, frame, trace::Stage::kModelInput);
  if (outputs.empty())
    return Error{ErrorKind::kUsage, "frame " + std::to_string(frame) + " contains no model output"};
  EP_TRY(auto steps,
         pipeline::AnswerSteps::load(post, inputs.empty() ? TensorSpec() : inputs[0].spec));
  EP_TRY(const auto raw, pipeline::raw_inputs(*reader, {}));
  dataset::RawInput input = dataset::Arrays{};
  for (std::size_t i = 0; i < raw.samples.size() && raw.frames[i] <= frame; ++i)
    if (raw.frames[i] == frame) {
      EP_TRY(auto loaded, raw.samples[i].load());
      input = std::move(loaded.input);
    }
  terminal.out << "outputs of frame " << frame << '\n';
  for (const Tensor& output : outputs) terminal.out << "    " << described(output) << '\n';
  EP_TRY(const auto answer, steps.answer(input, inputs, outputs));
  terminal.out << sanitized(post, preprocess::kMostRecipeText) << "\n    "
               << trace::to_text(answer, kMostShown) << '\n';
  return Outcome::kDone;
}

}  // namespace edgeprobe::cli
