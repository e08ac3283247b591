// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <filesystem>
#include <string>
#include <string_view>

#include <unistd.h>

#include "cli/commands/why/answer_forms.h"
#include "cli/commands/why/array_file.h"
#include "cli/options/json_flag.h"
#include "cli/options/overwrite.h"
#include "cli/options/verb_arguments.h"
#include "cli/terminal/terminal.h"
#include "core/file.h"
#include "core/text.h"
#include "dataset/sample.h"
#include "report/fixes/fixes.h"
#include "why/why.h"

namespace edgeprobe::cli {

/// Arguments of `edgeprobe why APP.npy REFERENCE.npy`: explains why two dumps of one tensor differ.
struct WhyArgs {
  std::string app, reference;
  std::string image;  ///< The picture from which both were made.
  JsonFlag json;
};

namespace {

Result<dataset::Picture> picture_from(const std::string& path) {
  EP_TRY(auto file, read_file(path));
  EP_TRY(auto loaded,
         dataset::load_file(std::move(file), std::filesystem::path(path).filename().string()));
  dataset::Picture* const picture = dataset::picture_of(loaded.input);
  if (!picture)
    return Error{ErrorKind::kUsage,
                 "'" + sanitized(path) + "' is not a picture; expected a JPEG, PNG or BMP file"};
  return std::move(*picture);
}

void add_fixes(why::Answer& answer) {
  for (diagnose::Cause& cause : answer.causes)
    if (!cause.fix_step.empty()) cause.fix_code = report::fix_code(cause.kind, cause.fix_step);
}

extern "C" void end_at_once(int) {
  constexpr std::string_view kText = "edgeprobe: stopped by the user\n";
  [[maybe_unused]] const auto written = ::write(2, kText.data(), kText.size());
  _exit(130);
}

/// While it lives, Ctrl-C and SIGTERM end the program. A search writes nothing before its answer,
/// so that there is nothing to complete.
class EndsAtOnce {
 public:
  EndsAtOnce() {
    struct sigaction action {};
    action.sa_handler = end_at_once;
    ::sigaction(SIGINT, &action, &interrupt_);
    ::sigaction(SIGTERM, &action, &terminate_);
  }
  ~EndsAtOnce() {
    ::sigaction(SIGINT, &interrupt_, nullptr);
    ::sigaction(SIGTERM, &terminate_, nullptr);
  }
  EndsAtOnce(const EndsAtOnce&) = delete;
  EndsAtOnce& operator=(const EndsAtOnce&) = delete;

 private:
  struct sigaction interrupt_ {
  }, terminate_{};
};

Result<why::Answer> searched(const why::Question& question, const Terminal& terminal) {
  const EndsAtOnce guard;
  if (terminal.stopped()) return interrupted();
  return why::why(question);
}

}  // namespace

/// kDone: equal, or up to rounding. kDiffers: with a cause. kUndecided: no single explanation
/// reproduces every value.
Result<Outcome> run(const WhyArgs& args, Terminal& terminal) {
  EP_CHECK(check_texts({{"--json", args.json.file}}, {args.app, args.reference, args.image}));
  auto app = array_from(args.app);
  if (!app) return std::move(app.error()).during("app");
  auto reference = array_from(args.reference);
  if (!reference) return std::move(reference.error()).during("reference");
  why::Question question{*app, *reference, nullptr};
  std::optional<dataset::Picture> picture;
  if (!args.image.empty()) {
    auto read = picture_from(args.image);
    if (!read) return std::move(read.error()).during("--image");
    picture = *std::move(read);
    question.picture = &*picture;
  }
  EP_TRY(auto answer, searched(question, terminal));
  add_fixes(answer);
  if (args.json.wanted) EP_CHECK(write_result(args.json, json_of(answer), terminal.out));
  if (!args.json.wanted || !args.json.file.empty()) terminal.out << text_of(answer);
  switch (answer.outcome) {
    case diagnose::Outcome::kAgrees: return Outcome::kDone;
    case diagnose::Outcome::kDiffers: return Outcome::kDiffers;
    case diagnose::Outcome::kUndecided: break;
  }
  return Outcome::kUndecided;
}

Work declare_why(Parser& parser) {
  auto args = std::make_shared<WhyArgs>();
  parser
      .option("app", args->app,
              "The app's tensor: .npy, .npz (FILE.npz:NAME where it holds several), or an ONNX "
              "TensorProto (.pb)")
      .required();
  parser.option("reference", args->reference, "The trusted one, in any of these forms").required();
  parser
      .option("--image", args->image,
              "The picture that both were made of: decides what the values by themselves cannot")
      .type("PICTURE");
  add_json(parser, args->json);
  return work_of(args);
}

}  // namespace edgeprobe::cli
