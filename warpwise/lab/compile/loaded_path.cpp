#include "warpwise/lab/compile/loaded_path.hpp"

#include <dlfcn.h>
#include <link.h>

namespace warpwise::lab {

std::string loaded_path(void* library, const std::filesystem::path& asked) {
  link_map* entry = nullptr;
  if (::dlinfo(library, RTLD_DI_LINKMAP, &entry) == 0 && entry != nullptr &&
      entry->l_name != nullptr && *entry->l_name != 0) {
    return entry->l_name;
  }
  return asked.string();
}

}  // namespace warpwise::lab
