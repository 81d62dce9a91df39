#pragma once

#if defined(__x86_64__)
#define WARPWISE_JUMP(name) "jmp " #name "@PLT"
#elif defined(__aarch64__)
#define WARPWISE_JUMP(name) "b " #name
#else
#error "WARPWISE_JUMP is not defined for this processor; add its jump instruction above"
#endif

/// Defines __wrap_NAME, a jump to NAME of the CUDA runtime inside libwarpwise_runtime.
/// libwarpwise is linked with --wrap=NAME, so its calls of NAME go to __wrap_NAME. A program may
/// therefore use another CUDA runtime as well. A jump leaves the arguments in their registers.
#define FORWARD(name)        \
  asm(".text\n"              \
      ".globl __wrap_" #name \
      "\n"                   \
      ".type __wrap_" #name  \
      ", %function\n"        \
      "__wrap_" #name ":\n" WARPWISE_JUMP(name) "\n");
