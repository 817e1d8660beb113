#include "gps/probes/probe.h"

namespace gps {

const Catalog& probe_catalog() {
  static const Catalog catalog = {
      {"ring-size", "Figures 1 and 4 (a), Appendix B",
       "Loss and accuracy of a task at the end of its future, over the size of its ring part."},
      {"forgetting", "Figure 4 (b)",
       "A task after each of the tasks that come later: real, pretended, or in runs."},
      {"difficulty", "Tables 3 and 4",
       "Tasks and pseudo-tasks, each learnt alone from fresh weights."},
      {"zero-shot", "Table 5",
       "Tasks and pseudo-tasks that have not been learnt yet, by a network that knows others."},
      {"ratio-distance", "section 6.3",
       "How far the ring ratios that a simulation finds are from the oracle's: the L1 distance."},
      {"time", "Table 2 (a), section 6.5", "Time of simulation against time of training."},
      {"one-minimum", "section 4.3, Eqn. 8, Appendix B",
       "How often the loss over the ring size has one minimum, as it is and beyond noise."},
  };
  return catalog;
}

}  // namespace gps
