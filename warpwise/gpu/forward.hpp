#pragma once

#if defined(__x86_64__)
#define WARPWISE_JUMP(name) "jmp " #name "@PLT"
#elif defined(__aarch64__)
#define WARPWISE_JUMP(name) "b " #name
#else
#error "WARPWISE_JUMP is not defined for this processor; add its jump instruction above"
#endif

/// Defines __wrap_NAME, which libwarpwise calls in place of the CUDA runtime's NAME: it is linked
/// with --wrap=NAME. The function only jumps, so that the arguments stay in their registers.
#define FORWARD(name)        \
  asm(".text\n"              \
      ".globl __wrap_" #name \
      "\n"                   \
      ".type __wrap_" #name  \
      ", %function\n"        \
      "__wrap_" #name ":\n" WARPWISE_JUMP(name) "\n");
