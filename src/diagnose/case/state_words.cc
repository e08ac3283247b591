// SPDX-License-Identifier: Apache-2.0
#include "diagnose/case/state_words.h"

#include "core/text.h"

namespace edgeprobe::diagnose {
namespace {

using state::Bend;
using state::BendKind;
using state::Change;
using state::Extent;
using state::Finding;
using state::Source;

std::string in_quotes(const std::string& name) { return "'" + sanitized(name, 80) + "'"; }

std::string steps_text(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " step" : " steps");
}

std::string bent(const Bend& bend, const std::optional<double>& level_step) {
  switch (bend.kind) {
    case BendKind::kNone: return "";
    case BendKind::kFloat16: return "rounded to float16";
    case BendKind::kBFloat16: return "rounded to bfloat16";
    case BendKind::kBFloat16Cut: return "cut off to bfloat16";
    case BendKind::kDecimals:
      return "rounded to " + std::to_string(bend.a) + (bend.a == 1 ? " decimal" : " decimals");
    case BendKind::kLevels:
      return "rounded to 8 bits or fewer" +
             (level_step ? " (steps of " + number(*level_step) + ")" : std::string());
    case BendKind::kPermuted:
      return "with the entries of its axis " + std::to_string(bend.a) + " (its layers) exchanged";
    case BendKind::kTransposed:
      return "with its axes " + std::to_string(bend.a) + " and " + std::to_string(bend.b) +
             " transposed";
    case BendKind::kNegated: return "negated";
  }
  return "";
}

// "is fed back as", singular or plural.
std::string story(const RecordedStates& states, const Finding& finding) {
  const Change& change = finding.change;
  const bool many = finding.states.size() > 1;
  const auto verb = [&](const char* one, const char* several) {
    return std::string(many ? several : one);
  };
  const std::string is = verb("is ", "are ");
  const std::string bend = bent(change.bend, finding.level_step);
  const std::string and_bent = bend.empty() ? "" : ", and " + bend;
  const std::string output = in_quotes(states.pairs[finding.states.front()].output);
  switch (change.source) {
    case Source::kInitial:
      return finding.extent == Extent::kEvery || finding.extent == Extent::kFrom
                 ? is + "not fed back: " + verb("it is", "they are") +
                       " the initial value again in the middle of a sequence"
                 : is + "set back to the initial value in the middle of a sequence";
    case Source::kZero: return is + "zero in the middle of a sequence";
    case Source::kMeant: return verb("arrives ", "arrive ") + bend;
    case Source::kOutput:
      if (finding.exchanged) return "are exchanged: each is fed with the other's output" + and_bent;
      return is + "fed with output " + in_quotes(states.recording.outputs[change.output].name) +
             " in place of " + output + and_bent;
    case Source::kLate:
      return verb("comes ", "come ") + steps_text(change.ago - 1) + " late" + and_bent;
    case Source::kKept:
      return is + "not copied: the input of the step before is fed again" + and_bent;
    case Source::kHalf: {
      std::string text = is + "only half copied: each element is the new one or the one before";
      if (finding.half && finding.half->new_until)
        text += " (old from element " + std::to_string(*finding.half->new_until) + " on)";
      else if (finding.half && finding.half->new_from)
        text += " (new from element " + std::to_string(*finding.half->new_from) + " on)";
      return text;
    }
    case Source::kNotANumber: return verb("holds", "hold") + " NaN that the output does not hold";
    case Source::kNotReset:
      return is + "not set back where a sequence begins: what the sequence before left goes on";
    case Source::kOtherInitial:
      return verb("begins", "begin") + " sequences with another value than " +
             (states.initial_of_reference[finding.states.front()] ? "the reference"
                                                                  : "most of them");
    case Source::kUnknown:
      return is + "not what " + (many ? "the outputs" : output) +
             " gave the step before, and no known fault explains what was fed";
  }
  return "";
}

std::string extent(const RecordedStates& states, const Finding& finding, std::size_t judged) {
  const bool at_starts =
      finding.change.source == Source::kNotReset || finding.change.source == Source::kOtherInitial;
  switch (finding.extent) {
    case Extent::kEvery: return at_starts ? "at every beginning" : "in every step";
    case Extent::kFrom:
      return "in every step from frame " +
             std::to_string(states.recording.frames[finding.steps.front()]) + " on";
    case Extent::kPeriod: return "in every " + std::to_string(finding.period) + ". step";
    case Extent::kSome: break;
  }
  const std::string count = std::to_string(finding.steps.size());
  return at_starts ? "at " + count + (count == "1" ? " beginning" : " beginnings")
                   : "in " + count + " of " + steps_text(judged);
}

}  // namespace

std::string names_of(const RecordedStates& states, const Finding& finding) {
  std::string names;
  for (const std::size_t state : finding.states)
    names += (names.empty() ? "" : ", ") + sanitized(states.pairs[state].input, 80);
  return names;
}

std::string told(const RecordedStates& states, const Finding& finding, std::size_t judged) {
  std::string who = finding.states.size() > 1 ? "states " : "state ";
  for (std::size_t i = 0; i < finding.states.size(); ++i)
    who += (i == 0                           ? ""
            : i + 1 == finding.states.size() ? " and "
                                             : ", ") +
           in_quotes(states.pairs[finding.states[i]].input);
  return who + " " + story(states, finding) + ", " + extent(states, finding, judged) +
         "; first at frame " + std::to_string(states.recording.frames[finding.steps.front()]);
}

std::string other_name(const RecordedStates& states, const Change& change) {
  const std::string bend = bent(change.bend, std::nullopt);
  const std::string and_bent = bend.empty() ? "" : ", " + bend;
  switch (change.source) {
    case Source::kInitial: return "the initial value is fed" + and_bent;
    case Source::kZero: return "zeros are fed" + and_bent;
    case Source::kMeant: return "the right value arrives " + bend;
    case Source::kOutput:
      return "output " + in_quotes(states.recording.outputs[change.output].name) + " is fed" +
             and_bent;
    case Source::kLate: return "the state comes " + steps_text(change.ago - 1) + " late" + and_bent;
    case Source::kKept: return "the input of the step before is fed again" + and_bent;
    case Source::kHalf: return "the copy was cut short";
    case Source::kNotANumber: return "NaN arises on the way";
    case Source::kNotReset: return "the state is not set back";
    case Source::kOtherInitial: return "another initial value is fed";
    case Source::kUnknown: break;
  }
  return "something else";
}

}  // namespace edgeprobe::diagnose
