;; The inner loops of codecs: checksums, LZ4, shuffles. Addresses are bytes; callers leave 64 bytes free behind
;; every buffer, because copies go 16 bytes at a time. kernels.ts holds this module compiled; a test compares them.
(module
  (memory (export "memory") 2)

  ;; CRC-32 of any polynomial, 16 bytes at a time: table k (k * 1024) tells what a byte does k bytes later.
  (func (export "crc") (param $value i32) (param $at i32) (param $end i32) (result i32)
    (local $a i64) (local $b i64)
    (block $done
      (loop $next
        (br_if $done (i32.gt_u (i32.add (local.get $at) (i32.const 16)) (local.get $end)))
        (local.set $a (i64.xor (i64.load (local.get $at)) (i64.extend_i32_u (local.get $value))))
        (local.set $b (i64.load offset=8 (local.get $at)))
        (local.set $value
            (i32.xor
            (i32.xor
            (i32.xor
            (i32.xor
            (i32.load offset=15360 (i32.shl (i32.and (i32.wrap_i64 (local.get $a)) (i32.const 255)) (i32.const 2)))
            (i32.load offset=14336 (i32.shl (i32.and (i32.wrap_i64 (i64.shr_u (local.get $a) (i64.const 8))) (i32.const 255)) (i32.const 2))))
            (i32.xor
            (i32.load offset=13312 (i32.shl (i32.and (i32.wrap_i64 (i64.shr_u (local.get $a) (i64.const 16))) (i32.const 255)) (i32.const 2)))
            (i32.load offset=12288 (i32.shl (i32.and (i32.wrap_i64 (i64.shr_u (local.get $a) (i64.const 24))) (i32.const 255)) (i32.const 2)))))
            (i32.xor
            (i32.xor
            (i32.load offset=11264 (i32.shl (i32.and (i32.wrap_i64 (i64.shr_u (local.get $a) (i64.const 32))) (i32.const 255)) (i32.const 2)))
            (i32.load offset=10240 (i32.shl (i32.and (i32.wrap_i64 (i64.shr_u (local.get $a) (i64.const 40))) (i32.const 255)) (i32.const 2))))
            (i32.xor
            (i32.load offset=9216 (i32.shl (i32.and (i32.wrap_i64 (i64.shr_u (local.get $a) (i64.const 48))) (i32.const 255)) (i32.const 2)))
            (i32.load offset=8192 (i32.shl (i32.and (i32.wrap_i64 (i64.shr_u (local.get $a) (i64.const 56))) (i32.const 255)) (i32.const 2))))))
            (i32.xor
            (i32.xor
            (i32.xor
            (i32.load offset=7168 (i32.shl (i32.and (i32.wrap_i64 (local.get $b)) (i32.const 255)) (i32.const 2)))
            (i32.load offset=6144 (i32.shl (i32.and (i32.wrap_i64 (i64.shr_u (local.get $b) (i64.const 8))) (i32.const 255)) (i32.const 2))))
            (i32.xor
            (i32.load offset=5120 (i32.shl (i32.and (i32.wrap_i64 (i64.shr_u (local.get $b) (i64.const 16))) (i32.const 255)) (i32.const 2)))
            (i32.load offset=4096 (i32.shl (i32.and (i32.wrap_i64 (i64.shr_u (local.get $b) (i64.const 24))) (i32.const 255)) (i32.const 2)))))
            (i32.xor
            (i32.xor
            (i32.load offset=3072 (i32.shl (i32.and (i32.wrap_i64 (i64.shr_u (local.get $b) (i64.const 32))) (i32.const 255)) (i32.const 2)))
            (i32.load offset=2048 (i32.shl (i32.and (i32.wrap_i64 (i64.shr_u (local.get $b) (i64.const 40))) (i32.const 255)) (i32.const 2))))
            (i32.xor
            (i32.load offset=1024 (i32.shl (i32.and (i32.wrap_i64 (i64.shr_u (local.get $b) (i64.const 48))) (i32.const 255)) (i32.const 2)))
            (i32.load offset=0 (i32.shl (i32.and (i32.wrap_i64 (i64.shr_u (local.get $b) (i64.const 56))) (i32.const 255)) (i32.const 2))))))))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br $next)))
    (block $over
      (loop $next
        (br_if $over (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $value
          (i32.xor
            (i32.load (i32.shl (i32.and (i32.xor (local.get $value) (i32.load8_u (local.get $at))) (i32.const 255)) (i32.const 2)))
            (i32.shr_u (local.get $value) (i32.const 8))))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br $next)))
    (local.get $value))

  ;; Each block of 16 bytes gets the blocks at five distances (in bytes) before it added, in place, four blocks at a
  ;; time: up to 48 bytes too many. Where the distances are those of a multiple of a checksum's polynomial, the blocks
  ;; can then be taken as zeros but for the last ones (checksums.ts).
  (func (export "fold") (param $at i32) (param $end i32)
    (param $a i32) (param $b i32) (param $c i32) (param $d i32) (param $e i32)
    (local.set $a (i32.sub (local.get $at) (local.get $a)))
    (local.set $b (i32.sub (local.get $at) (local.get $b)))
    (local.set $c (i32.sub (local.get $at) (local.get $c)))
    (local.set $d (i32.sub (local.get $at) (local.get $d)))
    (local.set $e (i32.sub (local.get $at) (local.get $e)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (v128.store (local.get $at)
          (v128.xor
            (v128.xor (v128.xor (v128.load (local.get $at)) (v128.load (local.get $a)))
                      (v128.xor (v128.load (local.get $b)) (v128.load (local.get $c))))
            (v128.xor (v128.load (local.get $d)) (v128.load (local.get $e)))))
        (v128.store offset=16 (local.get $at)
          (v128.xor
            (v128.xor (v128.xor (v128.load offset=16 (local.get $at)) (v128.load offset=16 (local.get $a)))
                      (v128.xor (v128.load offset=16 (local.get $b)) (v128.load offset=16 (local.get $c))))
            (v128.xor (v128.load offset=16 (local.get $d)) (v128.load offset=16 (local.get $e)))))
        (v128.store offset=32 (local.get $at)
          (v128.xor
            (v128.xor (v128.xor (v128.load offset=32 (local.get $at)) (v128.load offset=32 (local.get $a)))
                      (v128.xor (v128.load offset=32 (local.get $b)) (v128.load offset=32 (local.get $c))))
            (v128.xor (v128.load offset=32 (local.get $d)) (v128.load offset=32 (local.get $e)))))
        (v128.store offset=48 (local.get $at)
          (v128.xor
            (v128.xor (v128.xor (v128.load offset=48 (local.get $at)) (v128.load offset=48 (local.get $a)))
                      (v128.xor (v128.load offset=48 (local.get $b)) (v128.load offset=48 (local.get $c))))
            (v128.xor (v128.load offset=48 (local.get $d)) (v128.load offset=48 (local.get $e)))))
        (local.set $at (i32.add (local.get $at) (i32.const 64)))
        (local.set $a (i32.add (local.get $a) (i32.const 64)))
        (local.set $b (i32.add (local.get $b) (i32.const 64)))
        (local.set $c (i32.add (local.get $c) (i32.const 64)))
        (local.set $d (i32.add (local.get $d) (i32.const 64)))
        (local.set $e (i32.add (local.get $e) (i32.const 64)))
        (br $next))))

  ;; Adds bytes to others without carry; a whole number of blocks of 16.
  (func (export "xor") (param $to i32) (param $from i32) (param $end i32)
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $to) (local.get $end)))
        (v128.store (local.get $to) (v128.xor (v128.load (local.get $to)) (v128.load (local.get $from))))
        (local.set $to (i32.add (local.get $to) (i32.const 16)))
        (local.set $from (i32.add (local.get $from) (i32.const 16)))
        (br $next))))

  ;; The bytes of two halves by turns: a0 b0 a1 b1 … `half` is the length of each.
  (func (export "zip") (param $from i32) (param $to i32) (param $half i32)
    (local $other i32) (local $end i32) (local $a v128) (local $b v128)
    (local.set $other (i32.add (local.get $from) (local.get $half)))
    (local.set $end (i32.add (local.get $from) (i32.and (local.get $half) (i32.const -16))))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $from) (local.get $end)))
        (local.set $a (v128.load (local.get $from)))
        (local.set $b (v128.load (local.get $other)))
        (v128.store (local.get $to)
          (i8x16.shuffle 0 16 1 17 2 18 3 19 4 20 5 21 6 22 7 23 (local.get $a) (local.get $b)))
        (v128.store offset=16 (local.get $to)
          (i8x16.shuffle 8 24 9 25 10 26 11 27 12 28 13 29 14 30 15 31 (local.get $a) (local.get $b)))
        (local.set $from (i32.add (local.get $from) (i32.const 16)))
        (local.set $other (i32.add (local.get $other) (i32.const 16)))
        (local.set $to (i32.add (local.get $to) (i32.const 32)))
        (br $next)))
    (local.set $end (i32.add (local.get $from) (i32.and (local.get $half) (i32.const 15))))
    (block $over
      (loop $next
        (br_if $over (i32.ge_u (local.get $from) (local.get $end)))
        (i32.store8 (local.get $to) (i32.load8_u (local.get $from)))
        (i32.store8 offset=1 (local.get $to) (i32.load8_u (local.get $other)))
        (local.set $from (i32.add (local.get $from) (i32.const 1)))
        (local.set $other (i32.add (local.get $other) (i32.const 1)))
        (local.set $to (i32.add (local.get $to) (i32.const 2)))
        (br $next))))

  ;; The reverse: bytes at even places into the first half, at odd places into the second.
  (func (export "unzip") (param $from i32) (param $to i32) (param $half i32)
    (local $other i32) (local $end i32) (local $a v128) (local $b v128)
    (local.set $other (i32.add (local.get $to) (local.get $half)))
    (local.set $end (i32.add (local.get $to) (i32.and (local.get $half) (i32.const -16))))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $to) (local.get $end)))
        (local.set $a (v128.load (local.get $from)))
        (local.set $b (v128.load offset=16 (local.get $from)))
        (v128.store (local.get $to)
          (i8x16.shuffle 0 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30 (local.get $a) (local.get $b)))
        (v128.store (local.get $other)
          (i8x16.shuffle 1 3 5 7 9 11 13 15 17 19 21 23 25 27 29 31 (local.get $a) (local.get $b)))
        (local.set $to (i32.add (local.get $to) (i32.const 16)))
        (local.set $other (i32.add (local.get $other) (i32.const 16)))
        (local.set $from (i32.add (local.get $from) (i32.const 32)))
        (br $next)))
    (local.set $end (i32.add (local.get $to) (i32.and (local.get $half) (i32.const 15))))
    (block $over
      (loop $next
        (br_if $over (i32.ge_u (local.get $to) (local.get $end)))
        (i32.store8 (local.get $to) (i32.load8_u (local.get $from)))
        (i32.store8 (local.get $other) (i32.load8_u offset=1 (local.get $from)))
        (local.set $to (i32.add (local.get $to) (i32.const 1)))
        (local.set $other (i32.add (local.get $other) (i32.const 1)))
        (local.set $from (i32.add (local.get $from) (i32.const 2)))
        (br $next))))

  ;; Transposes the 8 × 8 bits of every eight bytes, in place; 16 bytes at a time.
  (func (export "bits") (param $at i32) (param $end i32)
    (local $x v128) (local $t v128)
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $x (v128.load (local.get $at)))
        (local.set $t (v128.and (v128.xor (local.get $x) (i64x2.shr_u (local.get $x) (i32.const 7)))
          (v128.const i64x2 0x00aa00aa00aa00aa 0x00aa00aa00aa00aa)))
        (local.set $x (v128.xor (v128.xor (local.get $x) (local.get $t)) (i64x2.shl (local.get $t) (i32.const 7))))
        (local.set $t (v128.and (v128.xor (local.get $x) (i64x2.shr_u (local.get $x) (i32.const 14)))
          (v128.const i64x2 0x0000cccc0000cccc 0x0000cccc0000cccc)))
        (local.set $x (v128.xor (v128.xor (local.get $x) (local.get $t)) (i64x2.shl (local.get $t) (i32.const 14))))
        (local.set $t (v128.and (v128.xor (local.get $x) (i64x2.shr_u (local.get $x) (i32.const 28)))
          (v128.const i64x2 0x00000000f0f0f0f0 0x00000000f0f0f0f0)))
        (v128.store (local.get $at)
          (v128.xor (v128.xor (local.get $x) (local.get $t)) (i64x2.shl (local.get $t) (i32.const 28))))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br $next))))

  ;; Copies 16 bytes at a time, the last time too many. `from` is at least 16 bytes before `to`, or elsewhere.
  (func $copy (param $from i32) (param $to i32) (param $end i32)
    (loop $next
      (v128.store (local.get $to) (v128.load (local.get $from)))
      (local.set $from (i32.add (local.get $from) (i32.const 16)))
      (local.set $to (i32.add (local.get $to) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $to) (local.get $end)))))

  ;; A match that may overlap what it makes.
  (func $repeat (param $to i32) (param $distance i32) (param $end i32)
    (local $stop i32) (local $far i32)
    (local.set $far (local.get $distance))
    (if (i32.lt_u (local.get $distance) (i32.const 16))
      (then
        ;; Byte by byte up to a multiple of the distance that is 16 or more; from there it is far enough away.
        (local.set $far (i32.mul (local.get $distance)
          (i32.div_u (i32.add (local.get $distance) (i32.const 15)) (local.get $distance))))
        (local.set $stop (i32.add (local.get $to) (local.get $far)))
        (if (i32.gt_u (local.get $stop) (local.get $end)) (then (local.set $stop (local.get $end))))
        (loop $next
          (i32.store8 (local.get $to) (i32.load8_u (i32.sub (local.get $to) (local.get $distance))))
          (local.set $to (i32.add (local.get $to) (i32.const 1)))
          (br_if $next (i32.lt_u (local.get $to) (local.get $stop))))))
    (if (i32.lt_u (local.get $to) (local.get $end))
      (then (call $copy (i32.sub (local.get $to) (local.get $far)) (local.get $to) (local.get $end)))))

  ;; An LZ4 block. The end of what was written; 0 when the block is damaged.
  (func (export "lz4") (param $from i32) (param $end i32) (param $start i32) (param $limit i32) (result i32)
    (local $to i32) (local $token i32) (local $length i32) (local $distance i32) (local $byte i32)
    (local $stop i32) (local $match i32)
    (local.set $to (local.get $start))
    (block $damaged
      (loop $next
        (br_if $damaged (i32.ge_u (local.get $from) (local.get $end)))
        (local.set $token (i32.load8_u (local.get $from)))
        (local.set $from (i32.add (local.get $from) (i32.const 1)))
        (local.set $length (i32.shr_u (local.get $token) (i32.const 4)))
        (if (i32.eq (local.get $length) (i32.const 15))
          (then
            (loop $more
              (br_if $damaged (i32.ge_u (local.get $from) (local.get $end)))
              (local.set $byte (i32.load8_u (local.get $from)))
              (local.set $from (i32.add (local.get $from) (i32.const 1)))
              (local.set $length (i32.add (local.get $length) (local.get $byte)))
              (br_if $more (i32.eq (local.get $byte) (i32.const 255))))))
        (if (local.get $length)
          (then
            (br_if $damaged (i32.gt_u (local.get $length) (i32.sub (local.get $end) (local.get $from))))
            (br_if $damaged (i32.gt_u (local.get $length) (i32.sub (local.get $limit) (local.get $to))))
            ;; Most literals are short: one copy without a call.
            (if (i32.le_u (local.get $length) (i32.const 16))
              (then (v128.store (local.get $to) (v128.load (local.get $from))))
              (else
                (if (i32.gt_u (local.get $length) (i32.const 512))
                  (then (memory.copy (local.get $to) (local.get $from) (local.get $length)))
                  (else (call $copy (local.get $from) (local.get $to) (i32.add (local.get $to) (local.get $length)))))))
            (local.set $from (i32.add (local.get $from) (local.get $length)))
            (local.set $to (i32.add (local.get $to) (local.get $length)))))
        ;; The last sequence has literals only.
        (if (i32.eq (local.get $from) (local.get $end)) (then (return (local.get $to))))
        (br_if $damaged (i32.lt_u (i32.sub (local.get $end) (local.get $from)) (i32.const 2)))
        (local.set $distance (i32.load16_u (local.get $from)))
        (local.set $from (i32.add (local.get $from) (i32.const 2)))
        (local.set $length (i32.and (local.get $token) (i32.const 15)))
        (if (i32.eq (local.get $length) (i32.const 15))
          (then
            (loop $more
              (br_if $damaged (i32.ge_u (local.get $from) (local.get $end)))
              (local.set $byte (i32.load8_u (local.get $from)))
              (local.set $from (i32.add (local.get $from) (i32.const 1)))
              (local.set $length (i32.add (local.get $length) (local.get $byte)))
              (br_if $more (i32.eq (local.get $byte) (i32.const 255))))))
        (local.set $length (i32.add (local.get $length) (i32.const 4)))
        (br_if $damaged (i32.eqz (local.get $distance)))
        (br_if $damaged (i32.gt_u (local.get $distance) (i32.sub (local.get $to) (local.get $start))))
        (br_if $damaged (i32.gt_u (local.get $length) (i32.sub (local.get $limit) (local.get $to))))
        (local.set $stop (i32.add (local.get $to) (local.get $length)))
        (local.set $match (i32.sub (local.get $to) (local.get $distance)))
        (if (i32.ge_u (local.get $distance) (i32.const 16))
          (then
            (loop $more
              (v128.store (local.get $to) (v128.load (local.get $match)))
              (local.set $match (i32.add (local.get $match) (i32.const 16)))
              (local.set $to (i32.add (local.get $to) (i32.const 16)))
              (br_if $more (i32.lt_u (local.get $to) (local.get $stop)))))
          (else
            (if (i32.ge_u (local.get $distance) (i32.const 8))
              (then
                (loop $more
                  (i64.store (local.get $to) (i64.load (local.get $match)))
                  (local.set $match (i32.add (local.get $match) (i32.const 8)))
                  (local.set $to (i32.add (local.get $to) (i32.const 8)))
                  (br_if $more (i32.lt_u (local.get $to) (local.get $stop)))))
              (else (call $repeat (local.get $to) (local.get $distance) (local.get $stop))))))
        (local.set $to (local.get $stop))
        (br $next)))
    (i32.const 0)))
