// The figures as a table: ours, the peer's, the ratio, the goal and whether it was reached.

export const verdictOf = ({ goal, ratio, ours, atMost }) => {
  const value = atMost ? ours : ratio;
  if (goal === null || goal === undefined || value === null || value === undefined) return "–";
  return (atMost ? value <= goal : value >= goal) ? "pass" : "miss";
};

const number = (value) => {
  if (value === null || value === undefined) return "–";
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toPrecision(3);
};

const times = (ratio) => (ratio === null || ratio === undefined ? "–" : `${ratio.toFixed(2)}×`);

const goalText = ({ goal, atMost }) =>
  goal === null || goal === undefined ? "–" : atMost ? `≤ ${goal}` : `≥ ${goal}×`;

function lineOf(row) {
  return [
    row.name,
    row.unit,
    number(row.ours),
    number(row.fresh),
    row.peer === null || row.peer === undefined ? "–" : `${number(row.peer)} (${row.peerName})`,
    times(row.ratio),
    times(row.medianRatio),
    goalText(row),
    verdictOf(row),
  ];
}

/** Columns padded to their widest cell; the first two to the left. */
function aligned(lines) {
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => [...line[column]].length)));
  const cell = (text, column) => {
    const space = " ".repeat(widths[column] - [...text].length);
    return column < 2 ? text + space : space + text;
  };
  return lines.map((line) => line.map(cell).join("  ").trimEnd()).join("\n");
}

export const reportOf = (rows) =>
  aligned([["", "", "ours", "new array", "peer", "ratio", "of medians", "goal", ""], ...rows.map(lineOf)]);
