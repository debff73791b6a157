// All named programs. Out: a map from name to {name, family, source, make}, where make is given the library and a source.

import { functions, mixtures, several, shared, windows } from "./combined.mjs";
import { complexes, gathers, integers, masks, selections, singles } from "./elements.mjs";
import { joins, rechunks, reshapes } from "./layouts.mjs";
import { contractions, reductions } from "./reductions.mjs";
import { scans, sorts } from "./scans.mjs";
import { stencils } from "./stencils.mjs";
import { draws, transforms } from "./transforms.mjs";

const FAMILIES = {
  ...{
    stencils,
    scans,
    sorts,
    rechunks,
    reshapes,
    joins,
    reductions,
    contractions,
    gathers,
    masks,
    selections,
  },
  ...{ complexes, integers, singles, shared, windows, several, functions, mixtures, draws, transforms },
};

export const PROGRAMS = new Map(
  Object.entries(FAMILIES).flatMap(([family, list]) =>
    list.map(([name, source, make]) => [name, { name, family, source, make }]),
  ),
);
