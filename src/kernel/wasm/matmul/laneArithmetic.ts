// Arithmetic of a family's lanes. In: values in locals. Out: sum + x·y, fused where the family says so.

import type { FunctionWriter, Local } from "../assembler.ts";
import type { Family } from "./family.ts";

/** sum += x·y, in every lane */
export function addProduct(w: FunctionWriter, { lanes, fma }: Family, sum: Local, x: Local, y: Local): void {
  if (fma) w.get(x).get(y).get(sum).op(`${lanes}.relaxed_madd`).set(sum);
  else w.get(sum).get(x).get(y).op(`${lanes}.mul`).op(`${lanes}.add`).set(sum);
}

/** The sum of all lanes. */
export function sumLanes(w: FunctionWriter, { lanes, scalar, laneBytes }: Family, vector: Local): Local {
  const sum = w.local(scalar);
  w.get(vector).op(`${lanes}.extract_lane`, 0);
  for (let lane = 1; lane < 16 / laneBytes; lane++)
    w.get(vector).op(`${lanes}.extract_lane`, lane).op(`${scalar}.add`);
  w.set(sum);
  return sum;
}
