// The measured file: 1M events with 5M jets, 27 leaves, 9 row groups, snappy; made once with DuckDB and kept in the
// folder for temporary files. Values are hashes of their numbers, so the file is the same everywhere.

import { existsSync, mkdirSync, renameSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";

const EVENTS = 1_000_000;
const ROW_GROUP = 122_880;
/** Another name when the query below changes. */
const NAME = "events-2.parquet";

/** A number in [0, 1) that depends on the event, the item and the field; `e`, `j` as in the query. */
const random = (salt, item = "0") =>
  `((hash(e * 1048576 + ${item} * 1024 + ${salt}) >> 11)::DOUBLE / 9007199254740992)`;
const spread = (salt, item, scale) => `(-ln(1 - ${random(salt, item)}) * ${scale})::FLOAT`;
const angle = (salt, item) => `((${random(salt, item)} - 0.5) * 6.2831853)::FLOAT`;
const whole = (salt, item, most) => `(hash(e * 1048576 + ${item} * 1024 + ${salt}) % ${most})::INTEGER`;

const JET = `{
  'pt': ${spread(1, "j", 40)}, 'eta': ${angle(2, "j")}, 'phi': ${angle(3, "j")}, 'mass': round(${spread(4, "j", 8)}, 2)::FLOAT,
  'btag': round(${random(5, "j")}, 3)::FLOAT, 'flavour': ${whole(6, "j", 6)}, 'area': round(${random(7, "j")}, 2)::FLOAT,
  'id': {'a': ${whole(8, "j", 100)}, 'b': ${whole(9, "j", 3)}}
}`;
const MUON = `{
  'pt': ${spread(21, "m", 30)}, 'eta': ${angle(22, "m")}, 'phi': ${angle(23, "m")}, 'mass': 0.1057::FLOAT,
  'charge': (${whole(24, "m", 2)} * 2 - 1)::INTEGER, 'iso': ${spread(25, "m", 0.1)}, 'z': ${angle(26, "m")},
  'tight': ${whole(27, "m", 2)} = 1
}`;

/** 10 leaves of events, 9 of jets, 8 of muons. */
const QUERY = `
  SELECT (e // 100000)::INTEGER AS run, (e // 1000)::INTEGER AS lumi, e::BIGINT AS event,
    -ln(1 - ${random(41)}) * 60 AS met, ${angle(42)} AS met_phi, ${random(43)} AS weight,
    ${whole(44, "0", 60)} AS vertices, ${whole(45, "0", 2)} = 1 AS trigger, ${random(46)} AS rho, ${angle(47)} AS psi,
    list_transform(range(CASE WHEN hash(e) % 50 = 0 THEN 0 ELSE 1 + (hash(e) % 9)::BIGINT END), lambda j: ${JET}) AS jets,
    list_transform(range((hash(e + 1) % 4)::BIGINT), lambda m: ${MUON}) AS muons
  FROM range(${EVENTS}) t(e)`;

export const LEAVES = 27;

export async function eventsFile() {
  const folder = join(tmpdir(), "chunkwise-bench-ragged");
  const path = join(folder, NAME);
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  const partial = `${path}.${process.pid}.partial`;
  const connection = await (await DuckDBInstance.create()).connect();
  await connection.run("SET preserve_insertion_order = true");
  await connection.run(
    `COPY (${QUERY}) TO '${partial}' (FORMAT parquet, COMPRESSION snappy, ROW_GROUP_SIZE ${ROW_GROUP})`,
  );
  connection.closeSync();
  renameSync(partial, path);
  return path;
}
