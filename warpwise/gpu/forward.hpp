#pragma once

#if defined(__x86_64__)
#define WARPWISE_JUMP(name) "jmp " #name "@PLT"
#elif defined(__aarch64__)
#define WARPWISE_JUMP(name) "b " #name
#else
#error "a jump to a function of another object on this processor is not written down here"
#endif

/// Defines the function that libwarpwise calls in place of a function of the CUDA runtime. Its
/// linker's --wrap gives it this name. A jump leaves the arguments where they are.
#define FORWARD(name)        \
  asm(".text\n"              \
      ".globl __wrap_" #name \
      "\n"                   \
      ".type __wrap_" #name  \
      ", %function\n"        \
      "__wrap_" #name ":\n" WARPWISE_JUMP(name) "\n");
