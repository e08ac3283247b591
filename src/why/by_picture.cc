// SPDX-License-Identifier: Apache-2.0
#include "why/by_picture.h"

#include <algorithm>
#include <cmath>
#include <list>

#include "core/text.h"
#include "dataset/sample.h"
#include "diagnose/examination/causes.h"
#include "diagnose/preprocessing/diagnosis.h"
#include "diagnose/preprocessing/model/frame.h"
#include "pipeline/inputs/picture.h"
#include "why/codes.h"
#include "why/pixels.h"
#include "why/relative.h"

namespace edgeprobe::why {
namespace {

using diagnose::InputDiagnosis;
using preprocess::Recipe;
using State = InputDiagnosis::Status;

/// Maximum frames of a batch that are searched.
constexpr std::size_t kMostFrames = 4;
/// Share of the values that a recipe must reproduce within a step: for lossless pixels, and for a
/// file that another decoder may have read.
constexpr double kNearlyAll = 0.995, kNearlyAllDecoded = 0.95;
constexpr double kDecoderSteps = 3;
/// Residual of a range on real numbers, in gray steps.
constexpr double kOwnDigits = 0.05;
/// Gray steps between equal inputs with different rounding, and between two decoders.
constexpr double kRounding = 0.75, kDecoders = 2.2;

/// Gray steps between two sides that show one picture through two resizes.
constexpr double kOnePicture = 8;
/// Gray steps that the nearest recipe leaves for a tensor made from another picture.
constexpr double kOtherPicture = 20;

/// Pictures, and their source.
struct Scene {
  const dataset::Picture* picture = nullptr;  ///< Null: `pixels` is the source.
  const Pixels* pixels = nullptr;
};

TensorSpec of_one_frame(TensorSpec spec, std::size_t frames) {
  if (frames > 1) spec.shape[0] = 1;
  return spec;
}

Result<InputDiagnosis> search(const Scene& scene, const Recipe& recipe, const Side& wanted,
                              const Side& fed, std::size_t frames) {
  std::list<preprocess::Image> images;
  std::list<Bytes> files;  ///< The same pixels as lossless files.
  std::list<Tensor> tensors;
  std::vector<diagnose::InputFrame> given;
  const std::size_t size = fed.values.size() / frames;
  const TensorSpec spec = of_one_frame(fed.spec, frames);
  for (std::size_t f = 0; f < std::min(frames, kMostFrames); ++f) {
    const float* const from = fed.values.data() + f * size;
    tensors.push_back(make_tensor("input", spec.shape, {from, from + size}));
    std::optional<preprocess::Source> source;
    if (scene.picture) {
      EP_TRY(auto image, pipeline::picture_for(recipe, *scene.picture));
      images.push_back(std::move(image));
      if (!scene.picture->encoded.empty()) source = dataset::source_of(*scene.picture);
    } else {
      images.push_back(scene.pixels->images[f]);
      EP_TRY(auto file, preprocess::encode_png(images.back()));
      files.push_back(std::move(file));
      source = preprocess::Source{files.back(), std::nullopt};
    }
    given.push_back({"the picture", &images.back(), tensors.back(), source});
  }
  return diagnose::diagnose_input(given, recipe, of_one_frame(wanted.spec, frames), spec);
}

/// The recipe of a side from a search that started with another recipe.
std::optional<Recipe> recipe_of(const Result<InputDiagnosis>& found, const Recipe& start) {
  if (!found) return std::nullopt;
  // Differences too small to be a fault are still part of the recipe.
  if (found->status == State::kEqual)
    return found->notes.empty() || found->as_recorded ? start : found->target_recipe;
  if (found->status == State::kFound && !found->as_recorded) return found->target_recipe;
  return std::nullopt;
}

/// One gray step in the values of a recipe.
double step_of(const Recipe& recipe, const TensorSpec& spec, double otherwise) {
  const auto taken = diagnose::take_apart(recipe, spec, spec);
  const double step = taken ? 1 / taken->steps_per_unit() : otherwise;
  return is_integer(spec.dtype) ? std::max(1.0, step) : step;
}

double reach_of(const Side& side) {
  const auto [low, high] = std::minmax_element(side.values.begin(), side.values.end());
  return std::max(1e-30, double(*high) - double(*low));
}

/// Runs the app's recipe again and returns its residual on the app's values.
std::optional<Left> left_of(const Scene& scene, const Sides& sides, const Recipe& recipe,
                            const Recipe& reference) {
  const TensorSpec spec = of_one_frame(sides.app.spec, sides.frames);
  Sides one;
  one.fed = sides.app.values;
  one.reference.values.reserve(sides.app.values.size());
  std::vector<float> made;
  for (std::size_t f = 0; f < sides.frames; ++f) {
    Result<preprocess::Image> image = scene.picture
                                          ? pipeline::picture_for(recipe, *scene.picture)
                                          : Result<preprocess::Image>(scene.pixels->images[f]);
    if (!image) return std::nullopt;
    const auto tensor = preprocess::apply(preprocess::without_decode(recipe), *image, spec);
    if (!tensor) return std::nullopt;
    const auto values = stored_as_float(*tensor);
    if (!values) return std::nullopt;
    made.insert(made.end(), values->begin(), values->end());
  }
  if (made.size() != sides.app.values.size()) return std::nullopt;
  // The distance before is measured along the same axes.
  const double own = distance_of(sides).rms;
  one.reference.values.assign(one.fed.begin(), one.fed.end());
  for (float& value : one.reference.values) value += float(own);
  // A recipe that cannot be analysed is measured in the reference's steps.
  const double step = step_of(recipe, spec,
                              step_of(reference, of_one_frame(sides.reference.spec, sides.frames),
                                      reach_of(sides.app) / 255));
  return left_by(one, made, step, is_integer(spec.dtype) ? "code" : "gray step");
}

bool is_borne_out(const Left& left, bool decoded) {
  if (left.within >= kNearlyAll) return true;
  return decoded && left.within >= kNearlyAllDecoded && left.largest <= 16 * kDecoderSteps;
}

/// True if the app's values are real numbers that do not come from whole pixels: then a range must
/// reproduce them to the last digit; if it does not, it is another range, such as a usual one in
/// fewer bits.
bool is_between_steps(const Sides& sides) {
  const DType type = sides.app.spec.dtype;
  if (type != DType::kFloat32 && type != DType::kFloat64) return false;
  if (is_of_bfloat16(sides.app) && !is_of_bfloat16(sides.reference)) return true;
  diagnose::PictureLayout layout = *sides.picture;
  if (sides.fit == Fit::kPlanar) layout.planar = !layout.planar;
  return !pixels_of(sides.app, layout, sides.frames);
}

/// A range close to a more usual one; a decoder's differences may resemble it.
bool is_rare_range(const diagnose::Cause& cause, int channels) {
  if (cause.kind != diagnose::CauseKind::kValueRange) return false;
  const auto ranges = usual_ranges(channels);
  return std::any_of(ranges.begin(), ranges.end(), [&](const diagnose::Range& range) {
    return range.rare && cause.detail.starts_with("the app scales pixels by " + range.name + ";");
  });
}

/// A named range that leaves more than rounding.
bool has_doubtful_range(const Answer& answer, const Sides& sides, bool decoded) {
  if (answer.left->largest <= kOwnDigits || !is_between_steps(sides)) return false;
  return std::any_of(answer.causes.begin(), answer.causes.end(), [&](const diagnose::Cause& c) {
    return c.kind == diagnose::CauseKind::kValueRange &&
           (!decoded || is_rare_range(c, int(sides.picture->channels)));
  });
}

Left left_of(const InputDiagnosis& diagnosis) {
  Left left;
  const double before = diagnosis.residual_before;
  left.explained = before > 0 ? std::max(0.0, 1 - std::pow(diagnosis.residual / before, 2)) : 1;
  left.within = -1;
  left.unit = "gray step";
  return left;
}

/// From pixels to values, one line for each channel.
std::optional<PixelLines> lines_of(const Recipe& recipe, const TensorSpec& spec) {
  const auto taken = diagnose::take_apart(recipe, spec, spec);
  if (!taken) return std::nullopt;
  return PixelLines{taken->mixing.rows, taken->gain, taken->offset};
}

/// Words and fix of a cause that was found as one of a recorded app: no model is known, and
/// integers are the reference's.
void for_two_tensors(diagnose::Cause& cause, const Sides& sides) {
  cause.detail = without_model(cause.detail);
  for (std::string& other : cause.alternatives) other = without_model(other);
  const DType mine = sides.app.spec.dtype, theirs = sides.reference.spec.dtype;
  if (mine == theirs || !is_integer(theirs)) return;
  const std::string own = std::string("cast(") + name(mine) + ")",
                    right = std::string("cast(") + name(theirs) + ")";
  if (const std::size_t at = cause.fix_step.find(own); at != std::string::npos)
    cause.fix_step.replace(at, own.size(), right);
  // Whole numbers are not halves.
  if (is_integer(mine)) std::erase(cause.alternatives, "x - 127.5");
}

/// The causes of a diagnosis; empty if its recipe does not reproduce the values.
std::optional<Answer> answer_of(const Scene& scene, const Sides& sides,
                                const InputDiagnosis& diagnosis, const Recipe& reference) {
  diagnose::InputEvidence evidence;
  evidence.diagnosis = diagnosis;
  Answer out;
  out.causes = diagnose::input_causes(evidence);
  std::erase_if(out.causes, [](const diagnose::Cause& cause) {
    return cause.status == diagnose::CauseStatus::kPartial;
  });
  // Less than a gray step next to a visible difference is only rounding.
  const auto is_visible = [](const diagnose::Cause& cause) {
    return cause.status == diagnose::CauseStatus::kConfirmed;
  };
  if (std::any_of(out.causes.begin(), out.causes.end(), is_visible))
    std::erase_if(out.causes, [](const diagnose::Cause& cause) {
      return cause.status == diagnose::CauseStatus::kNote;
    });
  for (diagnose::Cause& cause : out.causes) for_two_tensors(cause, sides);
  // One pair has no frames to count, and the distance is part of the whole answer.
  for (diagnose::Cause& cause : out.causes)
    std::erase_if(cause.evidence, [](const diagnose::Evidence& seen) {
      using enum diagnose::EvidenceKind;
      return seen.kind == kInputDistance || seen.kind == kLeftWithDifferences ||
             seen.kind == kLeftWithFault || seen.kind == kFramesAgree;
    });
  const bool is_named =
      std::any_of(out.causes.begin(), out.causes.end(), [](const diagnose::Cause& cause) {
        return cause.status == diagnose::CauseStatus::kConfirmed ||
               cause.status == diagnose::CauseStatus::kNote;
      });
  if (!is_named) return std::nullopt;
  if (diagnosis.as_recorded) {
    out.left = left_of(diagnosis);
  } else {
    out.left = left_of(scene, sides, diagnosis.target_recipe, reference);
    const bool decoded = scene.picture != nullptr;
    if (!out.left || !is_borne_out(*out.left, decoded) || has_doubtful_range(out, sides, decoded))
      return std::nullopt;
    out.app_recipe = preprocess::to_text(diagnosis.target_recipe);
    const auto app = lines_of(diagnosis.target_recipe, of_one_frame(sides.app.spec, sides.frames)),
               own = lines_of(reference, of_one_frame(sides.reference.spec, sides.frames));
    if (app && own) name_codes(out, sides, *app, *own);
  }
  out.outcome = diagnose::Outcome::kDiffers;
  for (const diagnose::Cause& cause : out.causes)
    if (cause.kind == diagnose::CauseKind::kOrientation && !cause.alternatives.empty()) {
      out.outcome = diagnose::Outcome::kUndecided;
      out.would_decide.push_back("a picture that is not symmetric: in this one they are alike");
    }
  return out;
}

std::string steps_text(double steps) { return number(steps, 2) + " gray steps (RMS)"; }

/// Both sides come from one recipe, within the tolerance of decoders and libraries.
Answer equal_recipes(const InputDiagnosis& diagnosis, const Recipe& recipe) {
  Answer out;
  out.reference_recipe = out.app_recipe = preprocess::to_text(recipe);
  const double steps = diagnosis.residual_before;
  if (steps <= kRounding) {
    out.outcome = diagnose::Outcome::kAgrees;
    out.headline = "equal up to rounding: one recipe makes both of this picture, and they lie " +
                   steps_text(steps) + " apart";
  } else {
    out.headline = "undecided: one recipe makes both of this picture but for " + steps_text(steps) +
                   ", which two JPEG decoders leave as well";
    out.would_decide.push_back("the same with a PNG or BMP picture, which all decoders read alike");
  }
  for (const diagnose::InputFault& note : diagnosis.notes)
    out.facts.push_back({"Seen", note.detail + " (too small to be told from rounding)"});
  return out;
}

/// The reference's recipe: searched from the plain one, or else from the app's.
std::optional<Recipe> reference_recipe(const Scene& scene, const Sides& sides,
                                       std::optional<Recipe>& of_app) {
  const auto plain = [&](const Side& side, bool planar) {
    diagnose::PictureLayout layout = *sides.picture;
    layout.planar = planar;
    return plain_recipe(side.spec, layout, likely_range(side, layout));
  };
  const Recipe start = plain(sides.reference, sides.picture->planar);
  const auto searched = search(scene, start, sides.reference, sides.reference, sides.frames);
  if (auto found = recipe_of(searched, start)) return found;
  // Then the app's tensor does not come from it either.
  if (searched && searched->residual > kOtherPicture) return std::nullopt;
  const Recipe other = plain(sides.app, sides.picture->planar != (sides.fit == Fit::kPlanar));
  of_app = recipe_of(search(scene, other, sides.app, sides.app, sides.frames), other);
  return std::nullopt;
}

}  // namespace

Answer by_picture(const Sides& sides, const dataset::Picture& picture) {
  const Scene scene{&picture, nullptr};
  std::optional<Recipe> of_app;
  const auto recipe = reference_recipe(scene, sides, of_app);
  if (!recipe) {
    Answer out = undecided(
        of_app ? "undecided: the app's tensor is made of the picture, the reference's by no known "
                 "recipe"
               : "undecided: no known recipe makes either tensor of this picture");
    if (of_app) out.app_recipe = preprocess::to_text(*of_app);
    out.would_decide.push_back(of_app ? "the code that made the reference's tensor"
                                      : "whether this is the file that both were made of");
    return out;
  }
  const auto found = search(scene, *recipe, sides.reference, sides.app, sides.frames);
  if (!found) return undecided("undecided: " + found.error().what);
  if (found->status == State::kEqual) return equal_recipes(*found, *recipe);
  if (found->status == State::kFound)
    if (auto out = answer_of(scene, sides, *found, *recipe)) {
      out->reference_recipe = preprocess::to_text(*recipe);
      return *std::move(out);
    }
  Answer out = undecided(
      "undecided: the reference's tensor is made of the picture, the app's by no known change of "
      "its recipe");
  out.reference_recipe = preprocess::to_text(*recipe);
  if (found->residual_before > 0)
    out.facts.push_back({"Nearest", steps_text(found->residual) + " of " +
                                        steps_text(found->residual_before) + " stay"});
  out.would_decide.push_back("the steps between: record them with a probe (docs/guides/probe.md)");
  return out;
}

namespace {

/// The equivalent recipe for another size.
Recipe with_size(Recipe recipe, const diagnose::PictureLayout& from,
                 const diagnose::PictureLayout& to) {
  const auto height = int(to.height), width = int(to.width);
  for (preprocess::Step& step : recipe.steps) {
    if (auto* resize = std::get_if<preprocess::Resize>(&step)) {
      if (resize->shorter) {
        const double scale = double(height) / double(from.height);
        resize->shorter = int(std::lround(resize->shorter * scale));
      } else {
        resize->height = height, resize->width = width;
      }
    }
    if (auto* bars = std::get_if<preprocess::Letterbox>(&step))
      bars->height = height, bars->width = width;
    if (auto* crop = std::get_if<preprocess::Crop>(&step);
        crop && crop->kind == preprocess::Crop::Kind::kSize)
      crop->height = height, crop->width = width;
  }
  return recipe;
}

/// The tensor that the recipe produces at another size.
std::optional<Side> made_side(const Scene& scene, const Recipe& recipe, TensorSpec spec,
                              const diagnose::PictureLayout& size, bool planar) {
  const std::size_t rank = spec.shape.size(), last = planar ? rank : rank - 1;
  spec.shape[last - 2] = std::int64_t(size.height);
  spec.shape[last - 1] = std::int64_t(size.width);
  const auto image = pipeline::picture_for(recipe, *scene.picture);
  if (!image) return std::nullopt;
  const auto tensor = preprocess::apply(preprocess::without_decode(recipe), *image, spec);
  if (!tensor) return std::nullopt;
  auto values = stored_as_float(*tensor);
  if (!values) return std::nullopt;
  return Side{spec, *std::move(values)};
}

std::string size_text(const diagnose::PictureLayout& layout) {
  return std::to_string(layout.height) + "x" + std::to_string(layout.width);
}

}  // namespace

std::optional<Answer> by_other_size(const Sides& sides, const dataset::Picture& picture) {
  const auto mine = diagnose::picture_layout(sides.app.spec.shape),
             theirs = diagnose::picture_layout(sides.reference.spec.shape);
  if (!mine || !theirs || mine->channels != theirs->channels || mine->channels == 2 ||
      mine->channels > 3)
    return std::nullopt;
  const Scene scene{&picture, nullptr};
  const Recipe start =
      plain_recipe(sides.reference.spec, *theirs, likely_range(sides.reference, *theirs));
  const auto recipe = recipe_of(search(scene, start, sides.reference, sides.reference, 1), start);
  if (!recipe) return std::nullopt;
  const Recipe resized = with_size(*recipe, *theirs, *mine);
  auto reference = made_side(scene, resized, sides.reference.spec, *mine, theirs->planar);
  if (!reference) return std::nullopt;
  const Sides alike = lined_up(sides.app, *std::move(reference));
  if (!alike.picture) return std::nullopt;
  const Distance distance = distance_of(alike);
  Answer rest;
  rest.app_recipe = preprocess::to_text(resized);
  if (distance.equal < distance.values) {
    rest = by_picture(alike, picture);
    if (rest.outcome != diagnose::Outcome::kAgrees && rest.causes.empty()) return std::nullopt;
  }
  Answer out = named(diagnose::CauseKind::kResize,
                     "the app makes " + size_text(*mine) + " of the picture; the reference " +
                         size_text(*theirs) + " (height x width)",
                     {});
  out.left.reset();
  out.causes.front().explained_variance.reset();
  out.causes.insert(out.causes.end(), rest.causes.begin(), rest.causes.end());
  if (rest.outcome == diagnose::Outcome::kUndecided && !rest.causes.empty())
    out.outcome = rest.outcome;
  out.app_recipe = rest.app_recipe;
  out.reference_recipe = preprocess::to_text(*recipe);
  out.would_decide = {"the size that the model's input has (edgeprobe inspect MODEL)"};
  return out;
}

namespace {

/// The changes of the other side to these pixels, in words.
struct FromPixels {
  std::optional<Answer> answer;
  bool is_near = false;  ///< Both sides show one picture, and no change converts one to the other.
};
FromPixels from_pixels(const Sides& sides, const Pixels& pixels) {
  const Scene scene{nullptr, &pixels};
  const auto found = search(scene, pixels.recipe, sides.reference, sides.app, sides.frames);
  FromPixels out;
  if (!found) return out;
  out.is_near = found->status == State::kPartial && found->residual_before < kOnePicture;
  if (found->status != State::kFound) return out;
  out.answer = answer_of(scene, sides, *found, pixels.recipe);
  if (!out.answer) return out;
  // Recovered pixels reveal nothing about the recipe for the picture.
  out.answer->app_recipe.clear();
  make_relative(*out.answer);
  return out;
}

/// If one side's values are disordered, describe that side.
constexpr double kRougher = 1.3;

}  // namespace

std::optional<Answer> by_pixels(const Sides& sides) {
  if (!sides.picture || sides.frames == 0) return std::nullopt;
  diagnose::PictureLayout of_app = *sides.picture;
  if (sides.fit == Fit::kPlanar) of_app.planar = !of_app.planar;
  const bool is_rough =
      roughness(sides.wanted(), *sides.picture) > kRougher * roughness(sides.fed, *sides.picture);
  const auto theirs = pixels_of(sides.reference, *sides.picture, sides.frames);
  if (theirs && !is_rough) {
    auto out = from_pixels(sides, *theirs);
    if (out.answer || out.is_near) return std::move(out.answer);
  }
  const auto mine = pixels_of(sides.app, of_app, sides.frames);
  if (mine) {
    auto out = from_pixels(exchanged(sides), *mine);
    if (out.answer) {
      exchange_words(*out.answer);
      return std::move(out.answer);
    }
    if (out.is_near) return std::nullopt;
  }
  return theirs && is_rough ? from_pixels(sides, *theirs).answer : std::nullopt;
}

}  // namespace edgeprobe::why
