#include "gps/probes/probe.h"

namespace gps {

const Catalog& probe_catalog() {
  static const Catalog catalog = {
      {"ring-size", "Figures 1 and 4 (a), Appendix B",
       "Loss and accuracy of a task at the end of its future, over the size of its ring part.",
       "--task, --future, --points or --ratios"},
      {"forgetting", "Figure 4 (b)",
       "A task after each of the tasks that come later: real, pretended, or in runs.",
       "--task, --future and --at, or --policy"},
      {"difficulty", "Tables 3 and 4",
       "Tasks and pseudo-tasks, each learnt alone from fresh weights.",
       "--future, --task, --count"},
      {"zero-shot", "Table 5",
       "Tasks and pseudo-tasks that have not been learnt yet, by a network that knows others.",
       "--after, --count"},
      {"ratio-distance", "section 6.3",
       "How far the ring ratios that a simulation finds are from the oracle's: the L1 distance.",
       "--future"},
      {"time", "Table 2 (a), section 6.5", "Time of simulation against time of training.",
       "--policy"},
      {"one-minimum", "section 4.3, Eqn. 8, Appendix B",
       "How often the loss over the ring size has one minimum, as it is and beyond noise.",
       "--task, --future, --points or --ratios, --measure"},
  };
  return catalog;
}

}  // namespace gps
