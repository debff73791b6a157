// Is a text well-formed XML, and what is in it? In: a text. Out: the names of its elements in order, or an error that
// says where it is broken. Knows elements, attributes, text and entities: all that our pictures may have.

const ENTITY = /&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[\da-fA-F]+);)/;
const TAG = /<(\/?)([A-Za-z][\w:-]*)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udfff]/u;

export function elementsOf(text: string): string[] {
  if (FORBIDDEN.test(text)) throw new Error("a character that XML does not allow");
  const stack: string[] = [];
  const names: string[] = [];
  let at = 0;
  while (at < text.length) {
    const next = text.indexOf("<", at);
    const run = text.slice(at, next < 0 ? text.length : next);
    if (ENTITY.test(run)) throw new Error(`a bare & in ${run}`);
    if (stack.length === 0 && run.trim() !== "") throw new Error(`text outside of elements: ${run}`);
    if (next < 0) break;
    TAG.lastIndex = next;
    const tag = TAG.exec(text);
    if (tag === null) throw new Error(`no tag at ${text.slice(next, next + 60)}`);
    at = TAG.lastIndex;
    step(tag, stack, names);
  }
  if (stack.length > 0) throw new Error(`not closed: ${stack.join(" ")}`);
  return names;
}

function step(tag: RegExpExecArray, stack: string[], names: string[]): void {
  const [, slash, name, attributes, empty] = tag as unknown as [string, string, string, string, string];
  if (ENTITY.test(attributes)) throw new Error(`a bare & in ${attributes}`);
  const keys = [...attributes.matchAll(/([\w:-]+)="/g)].map((match) => match[1]);
  if (new Set(keys).size < keys.length) throw new Error(`an attribute twice in ${name}`);
  if (slash === "/") {
    const open = stack.pop();
    if (open !== name) throw new Error(`</${name}> closes <${open}>`);
    return;
  }
  if (stack.length === 0 && names.length > 0) throw new Error("two roots");
  names.push(name);
  if (empty !== "/") stack.push(name);
}
