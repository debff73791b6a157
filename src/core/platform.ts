// Types that an environment may have or not (a browser's, Node's, neither): what it has is used, so that declarations of this
// package need no library beside the language's own.

type Has<Name extends string, Value> = typeof globalThis extends { [N in Name]: infer V } ? V : Value;

type SignalHere =
  Has<"AbortSignal", null> extends { prototype: infer S extends object } ? S : { readonly aborted: boolean };
/** What stops a run: an `AbortSignal`. An interface, so that declarations say its name. */
export interface StopSignal extends SignalHere {}
/** An address: a `URL`. */
export type Address = Has<"URL", null> extends { prototype: infer U } ? U : { readonly href: string };
/** The function `fetch`. */
export type Fetch = Has<"fetch", (...args: never[]) => Promise<unknown>>;
/** What a function of a service is given, a `Request`, and what it gives, a `Response`. */
export type WebRequest =
  Has<"Request", null> extends { prototype: infer R } ? R : { readonly method: string };
export type WebResponse =
  Has<"Response", null> extends { prototype: infer R } ? R : { readonly status: number };
/** `using x = …`, where the language has it. */
export type UsedUp = SymbolConstructor extends { readonly dispose: infer Key extends symbol }
  ? { readonly [K in Key]: () => void }
  : object;
