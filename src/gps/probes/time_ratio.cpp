#include "gps/probes/time_ratio.h"

namespace gps {

TimeRatio time_ratio(const RunResult& result) {
  const Seconds& seconds = result.seconds;
  return {seconds.training, seconds.simulation,
          seconds.training > 0 ? seconds.simulation / seconds.training : 0};
}

}  // namespace gps
