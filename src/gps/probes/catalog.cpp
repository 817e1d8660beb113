#include "gps/probes/probe.h"

namespace gps {

const Catalog& probe_catalog() {
  static const Catalog catalog = {
      {"ring-size", "Figures 1 and 4 (a), Appendix B",
       "Loss and accuracy of a task after its future, for several sizes of its ring part."},
      {"forgetting", "Figure 4 (b)",
       "Accuracy on a task after each later task: real tasks, pseudo-tasks, or recorded runs."},
      {"difficulty", "Tables 3 and 4",
       "Tasks and pseudo-tasks, each learnt alone from fresh weights."},
      {"zero-shot", "Table 5",
       "Accuracy of a trained network on tasks and pseudo-tasks that it has not learnt yet."},
      {"ratio-distance", "section 6.3",
       "L1 distance between the ring ratios found by a simulation and those of the oracle."},
      {"time", "Table 2 (a), section 6.5", "Time for simulation compared with time for training."},
      {"one-minimum", "section 4.3, Eqn. 8, Appendix B",
       "How often the loss has one minimum over the ring size, as measured and beyond noise."},
  };
  return catalog;
}

}  // namespace gps
