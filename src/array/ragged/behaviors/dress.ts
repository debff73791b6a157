// Arrays get what the behavior of their records has, by the default engine's table. In: an array that was just made. Out: the same.

import { engine } from "../../defaultEngine.ts";
import { LazyRagged, type RaggedArray } from "../raggedArrays.ts";

export const dressed = <A extends RaggedArray | LazyRagged>(array: A): A =>
  engine.behaviors.dressed<A>(
    array,
    array instanceof LazyRagged ? array.form : (array as RaggedArray).layout,
  );
