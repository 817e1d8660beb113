#include "gps/core/text/name_list.h"

#include "gps/core/option.h"

namespace gps {

void check_is_one_of(const std::string& flag, const std::string& one,
                     const std::vector<std::string>& all) {
  Option row;
  row.flag = flag;
  row.kind = OptionKind::name;
  row.names = all;
  check(row, one);
}

}  // namespace gps
