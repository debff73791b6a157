// Behaviors: records with a name have properties and methods. Vectors are there already; own classes are entered.

import assert from "node:assert/strict";
import * as cw from "chunkwise";
import * as rg from "chunkwise/ragged";

const show = (value: unknown): void => console.log(JSON.stringify(value));

const events = rg.lazy(
  rg.fromIter([
    {
      muons: [
        { pt: 45, eta: 0.5, phi: 3, mass: 0.106, charge: 1 },
        { pt: 40, eta: -0.5, phi: 0, mass: 0.106, charge: -1 },
      ],
    },
    { muons: [{ pt: 10, eta: 1, phi: 1, mass: 0.106, charge: 1 }] },
  ]),
  { npartitions: 2 },
);

// The name says what the records are. Values are as they were.
const muons = events.field("muons").withName("Momentum4D");
console.log(muons.type);
show(await muons.get(muons.pt.greater(20)).energy.compute());

// Pairs: a sum is a vector again. Only what is looked at is read: here not the charge.
const pairs = rg.combinations(muons, 2, { fields: ["a", "b"] });
const [a, b] = [pairs.field("a").withName("Momentum4D"), pairs.field("b").withName("Momentum4D")];
show(await a.add(b).mass.compute());
show(await a.deltaR(b).compute());
assert.deepEqual(Object.values(a.deltaPhi(b).necessaryColumns()), [["muons.phi"]]);

// To where the pair is at rest.
const rest = a.boostCMOf(a.add(b));
show(await rest.p.compute());

// A class of our own. Getters and methods become those of arrays, in memory and lazy.
console.log("\nOwn\n");
class Circle extends rg.Behavior {
  get area(): rg.Ragged {
    return this.field("radius").square().multiply(Math.PI);
  }
  scaled(factor: number): rg.Ragged {
    return rg.withField(this as never, this.field("radius").multiply(factor), "radius");
  }
}
cw.engine.behaviors.add("Circle", Circle);
const circles = rg.fromIter([[{ radius: 1 }, { radius: 2 }], []]).withName(Circle);
console.log(circles.type);
show(circles.area);
show(circles.scaled(10).withName(Circle).area);
