#include "gps/report/page/page_template.h"

namespace gps {

std::string_view page_template() { return {}; }

}  // namespace gps
