// The eight queries of the benchmark for analysis description languages, as histograms: what is counted is what they ask for.

import * as rg from "chunkwise/ragged";

const { axis } = rg;
type Events = rg.LazyRagged;
const histOf = (name: string, label: string, stop = 200): rg.Hist =>
  rg.hist(axis.regular(100, 0, stop, { name, label }));

const isOpposite = (a: Events, b: Events): Events => a.field("charge").notEqual(b.field("charge"));

/** Missing energy of all events. */
export const q1 = (events: Events): rg.LazyHist => histOf("met", "MET [GeV]").fill(events.field("MET", "pt"));

/** Transverse momentum of all jets. */
export const q2 = (events: Events): rg.LazyHist =>
  histOf("pt", "jet pT [GeV]").fill(events.field("Jet", "pt"));

/** Of those with |η| < 1. */
export function q3(events: Events): rg.LazyHist {
  const jets = events.field("Jet");
  return histOf("pt", "jet pT [GeV]").fill(jets.get(jets.field("eta").abs().less(1)).field("pt"));
}

/** Missing energy of events with two jets, or more, above 40 GeV. */
export function q4(events: Events): rg.LazyHist {
  const hard = rg.sum(events.field("Jet", "pt").greater(40), { axis: 1 });
  return histOf("met", "MET [GeV]").fill(events.field("MET", "pt").get(hard.greaterEqual(2)));
}

/** Missing energy of events with two muons of opposite charge and a mass between 60 and 120 GeV. */
export function q5(events: Events): rg.LazyHist {
  const [a, b] = rg.combinations(events.field("Muon").withName("Momentum4D"), 2).unzip() as [Events, Events];
  const mass = a.withName("Momentum4D").add(b).mass;
  const isPair = mass.greater(60).logicalAnd(mass.less(120)).logicalAnd(isOpposite(a, b));
  return histOf("met", "MET [GeV]").fill(events.field("MET", "pt").get(rg.any(isPair, { axis: 1 })));
}

/** Of the three jets whose mass is nearest to that of the top: their transverse momentum, and their largest b-tag. */
export function q6(events: Events): [pt: rg.LazyHist, btag: rg.LazyHist] {
  const [a, b, c] = rg.combinations(events.field("Jet").withName("Momentum4D"), 3).unzip() as [
    Events,
    Events,
    Events,
  ];
  const top = a.withName("Momentum4D").add(b).add(c);
  const best = rg.argmin(top.mass.subtract(172.5).abs(), { axis: 1, keepdims: true });
  const btag = a.field("btag").maximum(b.field("btag")).maximum(c.field("btag"));
  return [
    histOf("pt", "pT of three jets [GeV]").fill(top.get(best).pt),
    histOf("btag", "largest b-tag", 1).fill(btag.get(best)),
  ];
}

/** Electrons and muons of each event in one list. */
const leptonsOf = (events: Events): Events =>
  rg.concatenate([events.field("Electron").withField(0, "kind"), events.field("Muon").withField(1, "kind")], {
    axis: 1,
  });

/** The sum of momenta of jets above 30 GeV without a lepton above 10 GeV nearer than 0.4. */
export function q7(events: Events): rg.LazyHist {
  const [jets, all] = [events.field("Jet"), leptonsOf(events)];
  const hard = jets.get(jets.field("pt").greater(30)).withName("Momentum3D");
  const leptons = all.get(all.field("pt").greater(10)).withName("Momentum3D");
  const pairs = rg.cartesian({ jet: hard, lepton: leptons }, { nested: true });
  const distance = pairs.field("jet").withName("Momentum3D").deltaR(pairs.field("lepton"));
  const isFree = rg.any(distance.less(0.4), { axis: 2 }).logicalNot();
  return histOf("sum", "sum of jet pT [GeV]").fill(rg.sum(hard.get(isFree).pt, { axis: 1 }));
}

/** √(2 p p′ (1 − cos Δφ)) */
function transverseMass(a: Events, b: Events): Events {
  const [one, other] = [a.withName("Momentum2D"), b.withName("Momentum2D")];
  const angle = one.deltaPhi(other);
  return angle.cos().negative().add(1).multiply(2).multiply(one.pt).multiply(other.pt).sqrt();
}

/** Three leptons: of those that are not in the pair nearest to the Z, the hardest one's transverse mass with the missing energy. */
export function q8(events: Events): rg.LazyHist {
  const all = leptonsOf(events).withName("Momentum4D");
  const [i, k] = rg.argcombinations(all.mask(rg.num(all).greaterEqual(3)), 2).unzip() as [Events, Events];
  const [a, b] = [all.get(i), all.get(k)];
  const isZ = isOpposite(a, b).logicalAnd(a.field("kind").equal(b.field("kind")));
  const off = a.add(b).mass.subtract(91.2).abs().mask(isZ);
  const best = rg.argmin(off, { axis: 1, keepdims: true });
  const [x, y] = [i, k].map((at) => rg.localIndex(all).notEqual(rg.firsts(at.get(best)))) as [Events, Events];
  const pt = all.pt.mask(x.logicalAnd(y));
  const hardest = rg.firsts(all.get(rg.argmax(pt, { axis: 1, keepdims: true })));
  return histOf("mt", "mT [GeV]").fill(transverseMass(hardest, events.field("MET")));
}
