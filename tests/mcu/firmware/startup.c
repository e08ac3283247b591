// SPDX-License-Identifier: Apache-2.0
/* The code between power-on and main() of a program without a C library. */
#include <stdint.h>

extern uint32_t data_image, data_start, data_end, bss_start, bss_end, stack_top;
int main(void);

/* Semihosting: ends the emulator with this program's result. */
static void leave(int code) {
  const uint32_t block[2] = {0x20026, (uint32_t)code}; /* ADP_Stopped_ApplicationExit */
  register uint32_t call __asm__("r0") = 0x20;         /* SYS_EXIT_EXTENDED */
  register const uint32_t* arguments __asm__("r1") = block;
  __asm__ volatile("bkpt 0xab" : : "r"(call), "r"(arguments) : "memory");
  for (;;) {
  }
}

static void fault_handler(void) { leave(99); }

void reset_handler(void) {
  const volatile uint32_t* from = &data_image;
  for (volatile uint32_t* to = &data_start; to < &data_end; ++to) *to = *from++;
  for (volatile uint32_t* to = &bss_start; to < &bss_end; ++to) *to = 0;
  leave(main());
}

typedef void (*handler)(void);
__attribute__((section(".vectors"), used)) static const handler vectors[16] = {
    (handler)&stack_top, reset_handler, fault_handler, fault_handler,
    fault_handler,       fault_handler, fault_handler};
