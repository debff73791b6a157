// The Zstandard decoder as a WebAssembly module of its own: one context, no allocation per frame, nothing imported.
// The caller puts the source into the module's memory and takes the result out of it. build.sh compiles it.

#include <stddef.h>
#include "zstd.h"

extern unsigned char __heap_base;
static size_t end_of_heap;
static ZSTD_DCtx *context;

// Only the context is ever allocated, once.
void *malloc(size_t size) {
  if (end_of_heap == 0) end_of_heap = (size_t)&__heap_base;
  size_t start = (end_of_heap + 15) & ~(size_t)15;
  size_t end = start + size;
  size_t have = __builtin_wasm_memory_size(0) << 16;
  if (end > have && __builtin_wasm_memory_grow(0, (end - have + 65535) >> 16) == (size_t)-1) return 0;
  end_of_heap = end;
  return (void *)start;
}

void *calloc(size_t count, size_t size) {
  void *block = malloc(count * size);
  return block == 0 ? 0 : __builtin_memset(block, 0, count * size);
}

void free(void *block) { (void)block; }

// Where the caller's memory begins; 0 when there is no memory for the decoder itself.
__attribute__((export_name("begin"))) size_t begin(void) {
  if (context == 0) context = ZSTD_createDCtx();
  return context == 0 ? 0 : (end_of_heap + 63) & ~(size_t)63;
}

// Bytes of the result; -1 when the source is damaged or does not fit.
__attribute__((export_name("decode"))) size_t decode(void *target, size_t room, const void *source, size_t length) {
  size_t result = ZSTD_decompressDCtx(context, target, room, source, length);
  return ZSTD_isError(result) ? (size_t)-1 : result;
}
