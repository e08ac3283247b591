// SPDX-License-Identifier: Apache-2.0
#include "diagnose/input/search/other_frames.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"

namespace edgeprobe::diagnose {
namespace {

/// Number of values for a first comparison of frames; a prime, so that no row repeats.
constexpr std::size_t kSampled = 509;
constexpr std::size_t kMostFrames = 2000;
/// Preceding and following frames that may be torn together with this one.
constexpr int kNeighbours = 3;

/// Data kept for one frame.
struct Seen {
  std::uint32_t target = 0, reference = 0;
  double own = 0;                  ///< Distance of its input from the reference's, in gray steps.
  std::vector<float> fed, wanted;  ///< Sampled values of the target's and of the reference's input.
};

/// The origin of a frame's picture.
struct Origin {
  std::size_t at = 0, from = 0;  ///< Indices; `from` is the other frame.
  double left = 0;
  /// Row at which the other picture begins or stops; -1: the whole picture is the other one.
  int torn = -1;
  bool other_above = false;  ///< The other picture is on top.
};

double rms(const std::vector<float>& a, const std::vector<float>& b, std::size_t begin,
           std::size_t end) {
  double sum = 0;
  for (std::size_t i = begin; i < end; ++i)
    sum += (double(a[i]) - double(b[i])) * (double(a[i]) - double(b[i]));
  return std::sqrt(sum / double(end - begin));
}
double rms(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && !a.empty() ? rms(a, b, 0, a.size())
                                            : std::numeric_limits<double>::infinity();
}

std::vector<float> sampled(const std::vector<float>& values) {
  std::vector<float> out;
  const std::size_t n = std::min(kSampled, values.size());
  for (std::size_t i = 0; i < n; ++i) out.push_back(values[i * values.size() / n]);
  return out;
}

/// Rows of a picture's tensor: several planes in sequence, or one plane of pixels.
struct Rows {
  std::size_t planes = 1, count = 0, length = 0;
};
std::optional<Rows> rows_of(const Shape& shape) {
  const std::size_t n = shape.size();
  if (n < 3) return std::nullopt;
  const auto side = [&](std::size_t from_back) { return std::size_t(shape[n - from_back]); };
  if (shape[n - 1] <= 4) return Rows{1, side(3), side(2) * side(1)};
  if (shape[n - 3] <= 4) return Rows{side(3), side(2), side(1)};
  return std::nullopt;
}

double row_distance(const std::vector<float>& a, const std::vector<float>& b, const Rows& rows,
                    std::size_t row) {
  double squares = 0;
  for (std::size_t p = 0; p < rows.planes; ++p) {
    const std::size_t begin = (p * rows.count + row) * rows.length;
    const double d = rms(a, b, begin, begin + rows.length);
    squares += d * d;
  }
  return std::sqrt(squares / double(rows.planes));
}

/// Row where `above` stops and `below` begins; nothing if the two do not make up the whole input.
std::optional<std::size_t> seam(const std::vector<float>& fed, const std::vector<float>& above,
                                const std::vector<float>& below, const Rows& rows, double same) {
  const std::size_t least = std::max<std::size_t>(3, rows.count / 20),
                    resized = std::max<std::size_t>(4, rows.count / 24);
  std::size_t top = 0, bottom = rows.count;
  while (top < rows.count && row_distance(fed, above, rows, top) <= same) ++top;
  while (bottom > 0 && row_distance(fed, below, rows, bottom - 1) <= same) --bottom;
  if (top < least || rows.count - bottom < least || bottom > top + resized || top == rows.count ||
      bottom == 0)
    return std::nullopt;
  // The two pictures must differ in most rows; else either could be the source.
  const std::size_t at = (std::min(top, bottom) + std::max(top, bottom)) / 2;
  std::size_t unlike_above = 0, unlike_below = 0;
  for (std::size_t y = 0; y < rows.count; ++y) {
    const bool unlike = row_distance(above, below, rows, y) > 2 * same;
    (y < at ? unlike_above : unlike_below) += unlike;
  }
  if (2 * unlike_above < at || 2 * unlike_below < rows.count - at) return std::nullopt;
  return at;
}

class Inputs {
 public:
  Inputs(const trace::Reader& reader, const trace::ReadChannel& channel)
      : reader_(reader), channel_(channel) {}
  Result<std::vector<float>> of(std::uint32_t frame) const {
    EP_TRY(const auto message, reader_.read(frame, channel_.id));
    if (!message) return std::vector<float>{};
    return to_float(*message);
  }

 private:
  const trace::Reader& reader_;
  const trace::ReadChannel& channel_;
};

/// Finds the frame whose picture this one has: the nearest in time of those that match.
Result<std::optional<Origin>> whole(const std::vector<Seen>& seen, std::size_t at,
                                    const Inputs& target, const Inputs& reference, double unit,
                                    double same) {
  std::vector<std::size_t> near;
  for (std::size_t j = 0; j < seen.size(); ++j)
    if (j != at && rms(seen[at].fed, seen[j].wanted) / unit <= 1.5 * same) near.push_back(j);
  if (near.empty() || near.size() > 16) return std::optional<Origin>();
  const auto apart = [&](std::size_t j) { return j > at ? 2 * (j - at) : 2 * (at - j) - 1; };
  std::sort(near.begin(), near.end(),
            [&](std::size_t a, std::size_t b) { return apart(a) < apart(b); });
  EP_TRY(const auto fed, target.of(seen[at].target));
  std::optional<Origin> best;
  for (const std::size_t j : near) {
    EP_TRY(const auto wanted, reference.of(seen[j].reference));
    const double left = rms(fed, wanted) / unit;
    if (left <= same && (!best || left < 0.5 * best->left)) best = Origin{at, j, left, -1, false};
  }
  return best;
}

Result<std::optional<Origin>> torn(const std::vector<Seen>& seen, std::size_t at,
                                   const Inputs& target, const Inputs& reference, const Rows& rows,
                                   double unit, double same) {
  EP_TRY(const auto fed, target.of(seen[at].target));
  EP_TRY(const auto own, reference.of(seen[at].reference));
  if (fed.size() != own.size() || fed.size() != rows.planes * rows.count * rows.length)
    return std::optional<Origin>();
  // One of the two pictures must be the frame's own, at the top or the bottom.
  const double limit = 1.5 * same * unit;
  const bool upper = row_distance(fed, own, rows, 0) <= limit,
             lower = row_distance(fed, own, rows, rows.count - 1) <= limit;
  if (upper == lower) return std::optional<Origin>();
  for (int by = 1; by <= kNeighbours; ++by)
    for (const int k : {-by, by}) {
      const std::ptrdiff_t j = std::ptrdiff_t(at) + k;
      if (j < 0 || std::size_t(j) >= seen.size()) continue;
      EP_TRY(const auto other, reference.of(seen[std::size_t(j)].reference));
      if (other.size() != own.size()) continue;
      if (const auto row =
              upper ? seam(fed, own, other, rows, limit) : seam(fed, other, own, rows, limit)) {
        double squares = 0;
        for (std::size_t y = 0; y < rows.count; ++y) {
          const double d =
              std::min(row_distance(fed, own, rows, y), row_distance(fed, other, rows, y)) / unit;
          squares += d * d;
        }
        return std::optional(
            Origin{at, std::size_t(j), std::sqrt(squares / double(rows.count)), int(*row), !upper});
      }
    }
  return std::optional<Origin>();
}

std::string frames_text(std::size_t n, std::size_t all) {
  return "in " + std::to_string(n) + " of " + std::to_string(all) + " frames ";
}

std::string away(std::ptrdiff_t late) {
  if (late == 1) return "the frame before";
  if (late == -1) return "the next frame";
  return late > 0 ? std::to_string(late) + " frames before"
                  : std::to_string(-late) + " frames later";
}

InputFault fault_of(const std::vector<Origin>& origins, const std::vector<Seen>& seen,
                    bool is_torn) {
  std::vector<const Origin*> of;
  for (const Origin& origin : origins)
    if ((origin.torn >= 0) == is_torn) of.push_back(&origin);
  const auto late = [](const Origin& o) { return std::ptrdiff_t(o.at) - std::ptrdiff_t(o.from); };
  const bool alike = std::all_of(of.begin(), of.end(),
                                 [&](const Origin* o) { return late(*o) == late(*of.front()); });
  const Origin& first = *of.front();
  const std::string example = "frame " + std::to_string(seen[first.at].target),
                    other = "frame " + std::to_string(seen[first.from].target);
  InputFault fault;
  fault.kind = CauseKind::kOtherFrame;
  fault.detail = of.size() == seen.size() ? "" : frames_text(of.size(), seen.size());
  if (is_torn) {
    fault.detail += "the app feeds two pictures at once: " + example + " has " +
                    (first.other_above ? "above" : "from") + " row " + std::to_string(first.torn) +
                    (first.other_above ? " " : " on ") + "the picture of " + other +
                    (alike ? " (" + away(late(first)) + ")" : "");
    fault.alternatives.push_back("a picture that is written while it is read");
  } else {
    fault.detail += "the app feeds the picture of " +
                    (alike ? away(late(first)) : std::string("another frame")) + " (" + example +
                    " has that of " + other + ")";
  }
  fault.detail += "; the reference feeds each frame its own";
  double squares = 0;
  for (const Origin* o : of) squares += seen[o->at].own * seen[o->at].own / double(of.size());
  fault.contribution = std::sqrt(squares);
  return fault;
}

}  // namespace

Result<std::optional<InputEvidence>> other_frames(const Study& study, const Control& control) {
  const Case& known = study.known;
  const trace::ReadChannel *const target = study.input.target, *const reference =
                                                                   study.input.reference;
  const double unit = gray_step(study);
  const auto& pairs = study.agreement.frames;
  if (!target || !reference || unit <= 0 || pairs.size() < 2 || pairs.size() > kMostFrames ||
      target->channel.spec.shape != reference->channel.spec.shape)
    return std::optional<InputEvidence>();
  const double same = same_input_steps(*target, unit);
  const Inputs fed_inputs(*known.target, *target), wanted_inputs(*known.reference, *reference);
  std::vector<Seen> seen;
  for (const compare::FrameAgreement& pair : pairs) {
    if (control.stopped()) return interrupted();
    EP_TRY(const auto fed, fed_inputs.of(pair.target));
    EP_TRY(const auto wanted, wanted_inputs.of(pair.reference));
    const double own = rms(fed, wanted) / unit;
    if (!std::isfinite(own)) continue;
    seen.push_back({pair.target, pair.reference, own, sampled(fed), sampled(wanted)});
  }
  std::sort(seen.begin(), seen.end(),
            [](const Seen& a, const Seen& b) { return a.target < b.target; });
  const auto rows = rows_of(target->channel.spec.shape);
  std::vector<Origin> origins;
  std::size_t differing = 0;
  double squares = 0, left = 0;
  InputEvidence evidence;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (control.stopped()) return interrupted();
    std::optional<Origin> origin;
    if (seen[i].own > same) {
      ++differing;
      // A picture that hardly differs from its neighbour proves nothing.
      if (seen[i].own > 2 * same) {
        auto found = whole(seen, i, fed_inputs, wanted_inputs, unit, same);
        if (found && !*found && rows)
          found = torn(seen, i, fed_inputs, wanted_inputs, *rows, unit, same);
        if (!found) return found.error();
        origin = *found;
      }
    }
    if (origin) {
      squares += seen[i].own * seen[i].own;
      left += origin->left * origin->left;
      origins.push_back(*origin);
    } else {
      evidence.not_with.push_back(seen[i].target);
    }
  }
  if (origins.empty() || 2 * origins.size() < differing) return std::optional<InputEvidence>();
  InputDiagnosis diagnosis;
  diagnosis.status = InputDiagnosis::Status::kFound;
  diagnosis.as_recorded = true;
  diagnosis.residual_before = std::sqrt(squares / double(origins.size()));
  diagnosis.residual = std::sqrt(left / double(origins.size()));
  diagnosis.frames_used = seen.size();
  diagnosis.frames_agreeing = origins.size();
  for (const bool is_torn : {false, true})
    if (std::any_of(origins.begin(), origins.end(),
                    [&](const Origin& o) { return (o.torn >= 0) == is_torn; }))
      diagnosis.faults.push_back(fault_of(origins, seen, is_torn));
  diagnosis.evidence.push_back(
      {EvidenceKind::kOtherPictures,
       {{"distance", diagnosis.residual_before}, {"from_other", diagnosis.residual}}});
  evidence.diagnosis = std::move(diagnosis);
  if (differing > origins.size())
    evidence.otherwise = frames_text(differing - origins.size(), seen.size()) +
                         "the model input differs in another way";
  return std::optional(std::move(evidence));
}

}  // namespace edgeprobe::diagnose
