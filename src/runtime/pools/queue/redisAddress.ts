// Where a Redis is, and how to show who one is. In: what the user gives: an address or its parts. Out: options of a client, and
// a text without secrets for messages. Must hold: names and passwords are in the options alone.

import { describe } from "../../../core/chunks.ts";
import { ValueError } from "../../../core/errors.ts";
import type { ClientOptions } from "./redisModules.ts";

/** How a connection is encrypted: what Node's `tls.connect` takes. */
export interface RedisTls {
  /** Certificates of those who may have signed the server's, as PEM; the system's unless given. */
  readonly ca?: string | undefined;
  /** This client's certificate, as PEM, where the server asks for one. */
  readonly cert?: string | undefined;
  /** The key of that certificate, as PEM. */
  readonly key?: string | undefined;
  /** The name in the server's certificate, where it is not `host`. */
  readonly servername?: string | undefined;
}

/** Where a Redis or Valkey is: `{host: "10.0.0.5", port: 6379, password, tls: true}`. */
export interface RedisAddress {
  /** A name or a number: "127.0.0.1" unless given. */
  readonly host?: string | undefined;
  /** 6379 unless given. */
  readonly port?: number | undefined;
  /** Of the access list (ACL): "default" unless given. */
  readonly username?: string | undefined;
  /** Never part of plans, events or messages. */
  readonly password?: string | undefined;
  /** Which of its databases: 0 unless given. */
  readonly db?: number | undefined;
  /** True, or certificates: the connection is encrypted, and the server's certificate is checked. */
  readonly tls?: boolean | RedisTls | undefined;
}

const FIELDS = ["host", "port", "username", "password", "db", "tls"];
const TLS_FIELDS = ["ca", "cert", "key", "servername"];
const CURE =
  'Give an address, "redis://10.0.0.5:6379" or "rediss://…" with TLS, or {host, port, username, password, db, tls}';

const bad = (what: string): ValueError => new ValueError({ where: "connection", what, cure: CURE });

/** A checked address. */
export function redisAddress(given: unknown): RedisAddress {
  if (typeof given === "string") return addressOf(given);
  if (typeof given !== "object" || given === null) throw bad(`the connection is ${describe(given)}`);
  const wrong = Object.keys(given).find((name) => !FIELDS.includes(name));
  if (wrong !== undefined) throw bad(`there is no field ${describe(wrong)}`);
  return checked(given as RedisAddress);
}

/** What is wrong is named by its field: its value may be a secret. */
function checked(address: RedisAddress): RedisAddress {
  const { host, port = 6379, username, password, db = 0, tls } = address;
  for (const [name, text] of Object.entries({ host, username, password }))
    if (text !== undefined && (typeof text !== "string" || text === "" || /[\r\n\0]/.test(text)))
      throw bad(`${name} is not a text of one line`);
  if (!Number.isInteger(port) || port < 1 || port > 65535) throw bad(`port is ${describe(port)}`);
  if (!Number.isInteger(db) || db < 0) throw bad(`db is ${describe(db)}`);
  if (tls === undefined || typeof tls === "boolean") return address;
  const isOne = typeof tls === "object" && tls !== null;
  const wrong = isOne ? Object.keys(tls).find((name) => !TLS_FIELDS.includes(name)) : "tls";
  if (wrong !== undefined) throw bad(`tls takes true, or ${TLS_FIELDS.join(", ")}, not ${describe(wrong)}`);
  return address;
}

/** What is wrong with an address is said without it. */
function addressOf(text: string): RedisAddress {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^rediss?:$/.test(url.protocol))
    throw bad("the connection is a text, and no address of a Redis");
  const path = url.pathname.replace(/^\//, "");
  if (!/^\d{0,6}$/.test(path) || url.search !== "" || url.hash !== "")
    throw bad("the address has more than a host, a port and the number of a database");
  const parts = {
    ...(url.hostname === "" ? {} : { host: url.hostname.replace(/^\[|\]$/g, "") }),
    ...(url.port === "" ? {} : { port: Number(url.port) }),
    ...(url.username === "" ? {} : { username: decoded(url.username) }),
    ...(url.password === "" ? {} : { password: decoded(url.password) }),
    ...(path === "" ? {} : { db: Number(path) }),
    ...(url.protocol === "rediss:" ? { tls: true } : {}),
  };
  return checked(parts);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw bad("the name or the password in the address has a % that begins no character: write %25 for it");
  }
}

/** For messages and names: no user, no password. */
export function addressText({ host = "127.0.0.1", port = 6379, db = 0, tls }: RedisAddress): string {
  const isEncrypted = tls !== undefined && tls !== false;
  return `${isEncrypted ? "rediss" : "redis"}://${host}:${port}${db === 0 ? "" : `/${db}`}`;
}

export function clientOptions(address: RedisAddress): ClientOptions {
  const { host = "127.0.0.1", port = 6379, username, password, db = 0, tls } = address;
  return {
    ...{ host, port, db },
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(tls === undefined || tls === false ? {} : { tls: tls === true ? {} : tls }),
  };
}
