#pragma once

#include <string>

namespace warpwise::test {

/// Returns PTX of a kernel `hand` with two pointers. At its start the thread's index is in %r1, the
/// lane in %r2, the warp in %r3, the block in %r4, and the pointers in %l1 and %l2.
inline std::string kernel_text(const std::string& body, const std::string& before = {}) {
  return ".version 8.4\n.target sm_90\n.address_size 64\n.file 1 \"hand.cu\"\n" + before +
         "\n.visible .entry hand(.param .u64 first, .param .u64 second)\n{\n.reg .pred %p, "
         "%q;\n.reg .b16 %h<9>;\n"
         ".reg .b32 %r<19>;\n.reg .f32 %f<9>;\n.reg .b64 %l<19>;\n.shared .align 4 .b8 tile[128];\n"
         ".local .align 4 .b8 own[16];\n"
         "mov.u32 %r1, %tid.x;\nand.b32 %r2, %r1, 31;\nshr.u32 %r3, %r1, 5;\nmov.u32 %r4, "
         "%ctaid.x;\n"
         "ld.param.u64 %l1, [first];\nld.param.u64 %l2, [second];\nmul.wide.u32 %l3, %r1, 4;\n.loc "
         "1 7 0\n" +
         body + "\nret;\n}\n";
}

}  // namespace warpwise::test
