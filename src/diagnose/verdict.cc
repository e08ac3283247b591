#include "diagnose/verdict.h"

namespace edgeprobe::diagnose {

const char* name(Outcome outcome) {
  switch (outcome) {
    case Outcome::kAgrees: return "agrees";
    case Outcome::kDiffers: return "differs";
    case Outcome::kUndecided: return "undecided";
  }
  return "undecided";
}

const char* name(Status status) {
  switch (status) {
    case Status::kConfirmed: return "confirmed";
    case Status::kNote: return "note";
    case Status::kPartial: return "partial";
  }
  return "partial";
}

}  // namespace edgeprobe::diagnose
