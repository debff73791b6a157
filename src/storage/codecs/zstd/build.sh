#!/bin/sh
# Compiles decoder.c with Zstandard 1.5.7 into binary.ts. Needs clang-14, lld-14 and wasi-libc (Debian 12), and npm for
# Zstandard's sources, which come with the package zstd-napi. A test compares the result where clang-14 is installed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm pack --silent zstd-napi@0.0.13 > /dev/null
echo "5b76defc67c808989c5f3920e14f662d6318b84b8d53ac3e94b99463d8d65e76  zstd-napi-0.0.13.tgz" | sha256sum --check --quiet
tar -xzf zstd-napi-0.0.13.tgz
cd package/deps/zstd/lib
clang-14 --target=wasm32-wasi -O3 -mbulk-memory -flto -nostartfiles \
  -DNDEBUG -DZSTD_LEGACY_SUPPORT=0 -DZSTD_DISABLE_ASM -DZSTD_STRIP_ERROR_STRINGS=1 -DXXH_NAMESPACE=ZSTD_ -I. -Icommon \
  -Wl,--no-entry -Wl,--gc-sections -Wl,--strip-all -Wl,--stack-first -Wl,-z,stack-size=131072 \
  -o "$work/decoder.wasm" "$here/decoder.c" decompress/*.c common/*.c
node "$here/embed.mjs" "$work/decoder.wasm" "$work/package/deps/zstd/LICENSE" > "${1:-$here/binary.ts}"
