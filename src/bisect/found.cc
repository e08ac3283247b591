// SPDX-License-Identifier: Apache-2.0
#include "bisect/found.h"

namespace edgeprobe::bisect {

const char* name(Certainty certainty) {
  switch (certainty) {
    case Certainty::kAlone: return "alone";
    case Certainty::kTogether: return "together";
    case Certainty::kInside: return "inside";
  }
  return "";
}

const char* name(Outcome outcome) {
  switch (outcome) {
    case Outcome::kEqual: return "equal";
    case Outcome::kFound: return "wrong_operators";
    case Outcome::kDrifts: return "drifts";
    case Outcome::kOpen: return "open";
  }
  return "";
}

}  // namespace edgeprobe::bisect
