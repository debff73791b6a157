// A profile as text: what is inside of something is further in, and beside each other the most time comes first.
// In: the figures. Out: a line for each sequence, stage, pass and rule that did something; rules that did nothing share one.

import type {
  PassProfile,
  Profile,
  RuleProfile,
  StageCosts,
  StageFigures,
  StageProfile,
} from "./profileFigures.ts";

const time = (milliseconds: number): string => `${milliseconds.toFixed(3)} ms`;

/** So many names a pass shows. */
const MOST_NAMES = 5;

export function profileText(profile: Omit<Profile, "toString">): string {
  const { name, milliseconds, nodes, applied, costs, stages } = profile;
  return [
    `${name}  ${time(milliseconds)}, ${nodes.start} nodes before, ${nodes.end} after, ${applied} replacements`,
    `  ${costsText(costs)}`,
    ...sorted(stages).flatMap((stage) => stageLines(stage, "  ")),
  ].join("\n");
}

const sorted = (stages: readonly StageProfile[]): StageProfile[] =>
  [...stages].sort((a, b) => b.milliseconds - a.milliseconds);

const costsText = ({ rules, toposort, validate, callback, rest }: StageCosts): string =>
  `${time(rules)} in rules, ${time(toposort)} sorting, ${time(validate)} validating, ${time(callback)} calling features, ${time(rest)} elsewhere`;

function stageLines(stage: StageProfile, indent: string): string[] {
  const within = `${indent}  `;
  const head = `${indent}${time(stage.milliseconds)} - ${stage.name} (${stage.kind}, ${stage.index})`;
  const own = [head, `${within}${nodesText(stage)}`, `${within}${costsText(stage.costs)}`];
  if (stage.kind === "sequence")
    return [...own, ...sorted(stage.stages).flatMap((one) => stageLines(one, within))];
  const used = stage.rules.filter((rule) => rule.applied > 0);
  return [
    ...own,
    ...stage.passes.map((pass, i) => within + passText(pass, i)),
    ...used.map((rule) => within + ruleText(rule)),
    ...unusedLines(stage).map((line) => within + line),
  ];
}

const nodesText = ({ nodes: { start, end, max }, applied }: StageFigures): string =>
  `nodes (start, end, max) ${start} ${end} ${max}, ${applied} replacements`;

function passText(
  { milliseconds, nodes, applied, rounds, rebuilt, costs, rules }: PassProfile,
  i: number,
): string {
  const used = rules.filter((rule) => rule.applied > 0).sort((a, b) => b.applied - a.applied);
  const names = used.slice(0, MOST_NAMES).map((rule) => `${rule.name} ${rule.applied}`);
  const more = used.length > MOST_NAMES ? [`${used.length - MOST_NAMES} more`] : [];
  const head = `${i} - ${time(milliseconds)} (${time(costs.toposort)} sorting), ${rounds} rounds, ${nodes.start} nodes`;
  const done = `${applied} replacements, rebuilt +${rebuilt.added} −${rebuilt.removed}`;
  return [head, done, ...names, ...more].join(", ");
}

const ruleText = (rule: RuleProfile): string =>
  `${time(rule.milliseconds)} - ${rule.name}: tried ${rule.tried}, matched ${rule.matched}, applied ${rule.applied}, nodes +${rule.added} −${rule.removed}`;

function unusedLines({ rules, unused }: StageProfile): string[] {
  if (unused.length === 0) return [];
  const idle = rules.filter((rule) => rule.applied === 0);
  const spent = idle.reduce((total, rule) => total + rule.milliseconds, 0);
  const tried = idle.map((rule) => `${rule.name} ${time(rule.milliseconds)}`);
  const names = tried.length === 0 ? "" : `: ${tried.join(", ")}`;
  return [`${time(spent)} in ${unused.length} rules that were not applied${names}`];
}
