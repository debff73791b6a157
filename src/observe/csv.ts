// Records as comma-separated values, quoted as RFC 4180 says: a field with a comma, a quote or a line break stands in
// quotes, and quotes in it are doubled. Lines end with "\n"; what is not known is empty.

export type CsvValue = string | number | boolean | null;

export function csvText(header: readonly string[], rows: Iterable<readonly CsvValue[]>): string {
  const lines = [header.map(field).join(",")];
  for (const row of rows) lines.push(row.map(field).join(","));
  return `${lines.join("\n")}\n`;
}

function field(value: CsvValue): string {
  const text = value === null ? "" : String(value);
  // Spaces at the ends are quoted too: some readers drop them otherwise.
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
