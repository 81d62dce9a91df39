#pragma once

#if defined(__x86_64__)
#define WARPWISE_JUMP(name) "jmp " #name "@PLT"
#elif defined(__aarch64__)
#define WARPWISE_JUMP(name) "b " #name
#else
#error "a jump to a function of another object on this processor is not written down here"
#endif

/// Gives a function of this runtime a second symbol version, the one that libwarpwise asks for
/// (gpu/runtime.map): a jump, which leaves the arguments where they are.
#define FORWARD(name)                                          \
  asm(".text\n"                                                \
      ".globl warpwise_forward_" #name "\n"                    \
      ".type warpwise_forward_" #name ", %function\n"          \
      "warpwise_forward_" #name ":\n" WARPWISE_JUMP(name) "\n" \
      ".symver warpwise_forward_" #name ", " #name "@WARPWISE_RUNTIME\n");
