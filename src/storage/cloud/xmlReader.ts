// The few kinds of XML that object stores answer, read strictly. In: text. Out: elements with their text and children, or an
// error that says what is wrong. Must hold: every element is closed, so that an answer that was cut off is not taken for a
// whole one; there are no document types and no entities but the five and numbers; depth and count are bounded.

/** An element: either text or children, or neither. */
export interface XmlElement {
  readonly name: string;
  readonly children: readonly XmlElement[];
  readonly text: string;
}

interface Open {
  readonly name: string;
  readonly children: XmlElement[];
  text: string;
}

const MOST_DEEP = 16;
const MOST_ELEMENTS = 200_000;

const TOKEN =
  /<\?[^>]*\?>|<!--(?:[^-]|-(?!-))*-->|<\/([\w:.-]+)\s*>|<([\w:.-]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>|[^<]+/y;

/** The outermost element. */
export function readXml(text: string): XmlElement {
  const outside: Open = { name: "", children: [], text: "" };
  const open: Open[] = [outside];
  const token = new RegExp(TOKEN);
  let count = 0;
  while (token.lastIndex < text.length) {
    const at = token.lastIndex;
    const found = token.exec(text);
    if (found === null) throw new Error(`no XML at character ${at}`);
    const [whole, ended, begun, , isEmpty] = found;
    if (ended !== undefined) close(open, ended);
    else if (begun !== undefined) {
      if (++count > MOST_ELEMENTS || open.length > MOST_DEEP) throw new Error("more elements than belong");
      begin(open, begun);
      if (isEmpty === "/") close(open, begun);
    } else if (!whole.startsWith("<")) open.at(-1)!.text += unescaped(whole);
  }
  if (open.length > 1) throw new Error(`<${open.at(-1)!.name}> has no end`);
  if (outside.children.length !== 1 || outside.text.trim() !== "") throw new Error("not one element");
  return outside.children[0]!;
}

function begin(open: Open[], name: string): void {
  const element: Open = { name, children: [], text: "" };
  open.at(-1)!.children.push(element);
  open.push(element);
}

function close(open: Open[], name: string): void {
  const last = open.pop()!;
  if (open.length === 0 || last.name !== name) throw new Error(`</${name}> ends nothing`);
}

const NAMED: { readonly [name: string]: string } = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function unescaped(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&([^;&]{0,12};?)/g, (_, entity: string) => {
    const number = /^#(?:x([0-9a-fA-F]{1,6})|(\d{1,7}));$/.exec(entity);
    const code = number === null ? Number.NaN : Number.parseInt(number[1] ?? number[2]!, number[1] ? 16 : 10);
    const plain = code <= 0x10ffff ? String.fromCodePoint(code) : NAMED[entity.slice(0, -1)];
    if (plain === undefined || !entity.endsWith(";")) throw new Error(`unknown entity &${entity}`);
    return plain;
  });
}

export const childrenOf = (element: XmlElement, name: string): XmlElement[] =>
  element.children.filter((child) => child.name === name);

/** The text of an element that is there once; undefined where it is not there. */
export const childText = (element: XmlElement, name: string): string | undefined =>
  element.children.find((child) => child.name === name)?.text;

/** Text as XML has it. */
export const escaped = (text: string): string =>
  text.replace(/[<>&"']/g, (character) => `&#${character.charCodeAt(0)};`);
