;; Snappy, decompressed. Addresses are bytes; callers leave 64 bytes free behind every buffer, because copies go 16
;; bytes at a time. kernels.ts holds this module compiled; a test compares them.
(module
  (memory (export "memory") 1)

  (func $copy (param $from i32) (param $to i32) (param $end i32)
    (loop $next
      (v128.store (local.get $to) (v128.load (local.get $from)))
      (local.set $from (i32.add (local.get $from) (i32.const 16)))
      (local.set $to (i32.add (local.get $to) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $to) (local.get $end)))))

  ;; A copy of what lies less than 16 bytes back: it overlaps what it makes.
  (func $repeat (param $to i32) (param $distance i32) (param $end i32)
    (local $stop i32) (local $far i32)
    ;; Byte by byte up to a multiple of the distance that is 16 or more; from there it is far enough away.
    (local.set $far (i32.mul (local.get $distance)
      (i32.div_u (i32.add (local.get $distance) (i32.const 15)) (local.get $distance))))
    (local.set $stop (i32.add (local.get $to) (local.get $far)))
    (if (i32.gt_u (local.get $stop) (local.get $end)) (then (local.set $stop (local.get $end))))
    (loop $next
      (i32.store8 (local.get $to) (i32.load8_u (i32.sub (local.get $to) (local.get $distance))))
      (local.set $to (i32.add (local.get $to) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $to) (local.get $stop))))
    (if (i32.lt_u (local.get $to) (local.get $end))
      (then (call $copy (i32.sub (local.get $to) (local.get $far)) (local.get $to) (local.get $end)))))

  ;; The elements behind the length. The end of what was written; 0 when they are damaged.
  (func (export "snappy") (param $from i32) (param $end i32) (param $start i32) (param $limit i32) (result i32)
    (local $to i32) (local $tag i32) (local $length i32) (local $distance i32) (local $extra i32)
    (local.set $to (local.get $start))
    (block $damaged
      (loop $next
        (if (i32.ge_u (local.get $from) (local.get $end)) (then (return (local.get $to))))
        (local.set $tag (i32.load8_u (local.get $from)))
        (local.set $from (i32.add (local.get $from) (i32.const 1)))
        (local.set $length (i32.add (i32.shr_u (local.get $tag) (i32.const 2)) (i32.const 1)))
        (if (i32.eqz (i32.and (local.get $tag) (i32.const 3)))
          (then
            ;; Lengths of more than 60 follow in one to four bytes.
            (if (i32.gt_u (local.get $length) (i32.const 60))
              (then
                (local.set $extra (i32.sub (local.get $length) (i32.const 60)))
                (br_if $damaged (i32.gt_u (local.get $extra) (i32.sub (local.get $end) (local.get $from))))
                (local.set $length (i32.and
                  (i32.load (local.get $from))
                  (i32.shr_u (i32.const -1) (i32.shl (i32.sub (i32.const 4) (local.get $extra)) (i32.const 3)))))
                (br_if $damaged (i32.eq (local.get $length) (i32.const -1)))
                (local.set $length (i32.add (local.get $length) (i32.const 1)))
                (local.set $from (i32.add (local.get $from) (local.get $extra)))))
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
            (local.set $to (i32.add (local.get $to) (local.get $length)))
            (br $next)))
        (if (i32.eq (i32.and (local.get $tag) (i32.const 3)) (i32.const 1))
          (then
            (br_if $damaged (i32.ge_u (local.get $from) (local.get $end)))
            (local.set $length
              (i32.add (i32.and (i32.shr_u (local.get $tag) (i32.const 2)) (i32.const 7)) (i32.const 4)))
            (local.set $distance (i32.or
              (i32.shl (i32.shr_u (local.get $tag) (i32.const 5)) (i32.const 8))
              (i32.load8_u (local.get $from))))
            (local.set $from (i32.add (local.get $from) (i32.const 1))))
          (else
            (if (i32.eq (i32.and (local.get $tag) (i32.const 3)) (i32.const 2))
              (then
                (br_if $damaged (i32.lt_u (i32.sub (local.get $end) (local.get $from)) (i32.const 2)))
                (local.set $distance (i32.load16_u (local.get $from)))
                (local.set $from (i32.add (local.get $from) (i32.const 2))))
              (else
                (br_if $damaged (i32.lt_u (i32.sub (local.get $end) (local.get $from)) (i32.const 4)))
                (local.set $distance (i32.load (local.get $from)))
                (local.set $from (i32.add (local.get $from) (i32.const 4)))))))
        (br_if $damaged (i32.eqz (local.get $distance)))
        (br_if $damaged (i32.gt_u (local.get $distance) (i32.sub (local.get $to) (local.get $start))))
        (br_if $damaged (i32.gt_u (local.get $length) (i32.sub (local.get $limit) (local.get $to))))
        (if (i32.ge_u (local.get $distance) (i32.const 16))
          (then
            (call $copy
              (i32.sub (local.get $to) (local.get $distance))
              (local.get $to)
              (i32.add (local.get $to) (local.get $length))))
          (else (call $repeat (local.get $to) (local.get $distance) (i32.add (local.get $to) (local.get $length)))))
        (local.set $to (i32.add (local.get $to) (local.get $length)))
        (br $next)))
    (i32.const 0)))
