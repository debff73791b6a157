// Variables of the process, where there is one. In: a name. Out: its text; undefined where it is not set, empty, or in a browser.

export function environment(name: string): string | undefined {
  const { process: host } = globalThis as {
    process?: { env?: { readonly [name: string]: string | undefined } };
  };
  const text = host?.env?.[name];
  return text === undefined || text === "" ? undefined : text;
}
