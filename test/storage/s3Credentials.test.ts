// Who asks, and where: keys and settings from options, environment, profile files, a container and a web identity; old keys and
// wrong clocks; and that nothing secret is in any message or location. The server is a fake; that signatures are right, a real
// one says in s3Store.test.ts.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import * as cw from "chunkwise";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { S3Store, type S3StoreOptions, storeAt } from "../../src/storage/index.ts";
import { type Answered, type FakeServer, startFakeServer, withEnvironment } from "./fakeServer.ts";

const folder = mkdtempSync(join(tmpdir(), "chunkwise-aws-"));
let fake: FakeServer;
beforeAll(async () => {
  fake = await startFakeServer();
});
afterAll(async () => {
  await fake.stop();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  fake.asked.length = 0;
  fake.answer = () => ({ body: "bytes" });
});

const SECRET = "sEcReT/of+this=test1234567890abcdef";
const KEYS = { accessKeyId: "AKIDOFTHISTEST", secretAccessKey: SECRET };

/** Nothing of whoever runs the tests. */
const NONE: { readonly [name: string]: string | undefined } = {
  ...{ AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined, AWS_SESSION_TOKEN: undefined },
  ...{ AWS_REGION: undefined, AWS_DEFAULT_REGION: undefined, AWS_PROFILE: undefined },
  ...{ AWS_ENDPOINT_URL: undefined, AWS_ENDPOINT_URL_S3: undefined, AWS_NO_SIGN_REQUEST: undefined },
  ...{ AWS_WEB_IDENTITY_TOKEN_FILE: undefined, AWS_ROLE_ARN: undefined },
  ...{ AWS_CONTAINER_CREDENTIALS_FULL_URI: undefined, AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: undefined },
  ...{ AWS_CONFIG_FILE: join(folder, "none"), AWS_SHARED_CREDENTIALS_FILE: join(folder, "none") },
};

const within = <T>(variables: { [name: string]: string | undefined }, run: () => Promise<T>): Promise<T> =>
  withEnvironment({ ...NONE, AWS_ENDPOINT_URL: fake.url, ...variables }, run);

function written(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

/** Key, region and token of the last request. */
function signedBy(): string {
  const { authorization = "none", "x-amz-security-token": token } = fake.asked.at(-1)!.headers;
  const [, key, region] = /Credential=([^/]+)\/\d{8}\/([^/]+)\/s3\//.exec(authorization) ?? [];
  return [key, region, token].filter((part) => part !== undefined).join(" ");
}

const read = (options: S3StoreOptions = {}): Promise<Uint8Array | undefined> =>
  new S3Store("s3://bucket/p", { backoffMs: 1, ...options }).get("/a");

describe("where keys come from", () => {
  test("options, a function, the environment", async () => {
    await within({ AWS_REGION: "eu-west-1" }, async () => {
      await read({ credentials: KEYS });
      expect(signedBy()).toBe("AKIDOFTHISTEST eu-west-1");
      await read({ credentials: async () => ({ ...KEYS, sessionToken: "session" }), region: "eu-north-1" });
      expect(signedBy()).toBe("AKIDOFTHISTEST eu-north-1 session");
    });
    const variables = { AWS_ACCESS_KEY_ID: "AKIDENV", AWS_SECRET_ACCESS_KEY: "x", AWS_SESSION_TOKEN: "t" };
    await within(variables, () => read());
    expect(signedBy()).toBe("AKIDENV us-east-1 t");
    expect(fake.asked.at(-1)!.path).toBe("/bucket/p/a");
  });

  test("profile files, by name and by default; settings of the region and the endpoint", async () => {
    const files = {
      AWS_SHARED_CREDENTIALS_FILE: written(
        "credentials",
        "[default]\naws_access_key_id = AKIDDEFAULT\naws_secret_access_key=d\n# x\n[lab]\r\naws_access_key_id=AKIDLAB\r\naws_secret_access_key = l\r\naws_session_token=s\n",
      ),
      AWS_CONFIG_FILE: written(
        "config",
        `[default]\nregion = ap-south-1\n[profile lab]\nregion=sa-east-1\ns3 =\n  addressing_style = path\nendpoint_url = ${fake.url}\n[profile sso]\nsso_session = x\n`,
      ),
    };
    await within(files, () => read());
    expect(signedBy()).toBe("AKIDDEFAULT ap-south-1");
    await within({ ...files, AWS_ENDPOINT_URL: undefined, AWS_PROFILE: "lab" }, () => read());
    expect(signedBy()).toBe("AKIDLAB sa-east-1 s");
    await within({ ...files, AWS_ACCESS_KEY_ID: "AKIDENV", AWS_SECRET_ACCESS_KEY: "x" }, () =>
      read({ profile: "lab" }),
    );
    expect(signedBy()).toBe("AKIDLAB sa-east-1 s");
    await expect(within(files, () => read({ profile: "nobody" }))).rejects.toThrow('no profile "nobody"');
    await expect(within(files, () => read({ profile: "sso" }))).rejects.toThrow(
      /sso_session.*aws configure export-credentials --profile sso/,
    );
  });

  test("a container: with its token, again before they end", async () => {
    let count = 0;
    fake.answer = ({ path, headers }): Answered => {
      if (path !== "/keys") return { body: "bytes" };
      if (headers.authorization !== "token-of-the-container") return { status: 403 };
      const Expiration = new Date(Date.now() + (count++ === 0 ? 200 : 3_600_000)).toISOString();
      return {
        body: JSON.stringify({
          AccessKeyId: `AKID${count}`,
          SecretAccessKey: SECRET,
          Token: "t",
          Expiration,
        }),
      };
    };
    const variables = {
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${fake.url}/keys`,
      AWS_CONTAINER_AUTHORIZATION_TOKEN: "token-of-the-container",
    };
    await within(variables, async () => {
      const store = new S3Store("s3://bucket");
      await Promise.all([store.get("/a"), store.get("/b"), store.get("/c")]);
      expect([signedBy(), count]).toEqual(["AKID1 us-east-1 t", 1]);
      await new Promise((resolve) => setTimeout(resolve, 150));
      await Promise.all([store.get("/a"), store.get("/b")]);
      expect([signedBy(), count]).toEqual(["AKID2 us-east-1 t", 2]);
      await store.get("/a");
      expect(count).toBe(2);
    });
    await expect(
      within({ ...variables, AWS_CONTAINER_CREDENTIALS_FULL_URI: "http://example.org/keys" }, () => read()),
    ).rejects.toThrow("neither https: nor an address of this machine");
    const file = written("token", "token-of-the-container\n");
    const byFile = { ...variables, AWS_CONTAINER_AUTHORIZATION_TOKEN: undefined };
    await within({ ...byFile, AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: file }, () => read());
    expect(signedBy()).toBe("AKID3 us-east-1 t");
    await expect(within(byFile, () => read({ retries: 0 }))).rejects.toThrow(
      "the container's credentials could not be had: the answer 403",
    );
  });

  test("a web identity", async () => {
    const token = "eyJhbGciOi.web-identity.token";
    fake.answer = ({ path, method, body }): Answered => {
      if (path !== "/" || method !== "POST") return { body: "bytes" };
      const form = new URLSearchParams(body.toString());
      const right =
        form.get("Action") === "AssumeRoleWithWebIdentity" &&
        form.get("Version") === "2011-06-15" &&
        form.get("RoleArn") === "arn:aws:iam::1:role/r" &&
        form.get("WebIdentityToken") === token;
      if (!right)
        return {
          status: 400,
          body: "<ErrorResponse><Error><Code>InvalidIdentityToken</Code></Error></ErrorResponse>",
        };
      return {
        body: `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>ASIAWEB</AccessKeyId><SecretAccessKey>${SECRET}</SecretAccessKey><SessionToken>st</SessionToken><Expiration>${new Date(Date.now() + 3.6e6).toISOString()}</Expiration></Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`,
      };
    };
    const variables = {
      AWS_WEB_IDENTITY_TOKEN_FILE: written("identity", `${token}\n`),
      ...{ AWS_ROLE_ARN: "arn:aws:iam::1:role/r", AWS_ENDPOINT_URL_STS: fake.url },
    };
    await within(variables, () => read());
    expect(signedBy()).toBe("ASIAWEB us-east-1 st");
    const error = await within({ ...variables, AWS_ROLE_ARN: "arn:aws:iam::1:role/other" }, () =>
      read(),
    ).catch(String);
    expect(error).toMatch(/role of the web identity could not be had: the answer 400 InvalidIdentityToken/);
    expect(error).not.toContain(token);
  });

  test("none: the error says where was looked; anonymous asks without", async () => {
    await expect(within({}, () => read())).rejects.toThrow(
      /no credentials for S3: looked for AWS_ACCESS_KEY_ID.*AWS_WEB_IDENTITY_TOKEN_FILE.*profile default.*AWS_CONTAINER.*anonymous: true/,
    );
    expect(fake.asked.length).toBe(0);
    await within({}, () => read({ anonymous: true }));
    await within({ AWS_NO_SIGN_REQUEST: "YES" }, () => read());
    expect(fake.asked.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined]);
  });
});

describe("what passes", () => {
  const options = { region: "us-east-1", credentials: KEYS };

  test("a clock that is wrong is set by the server's", async () => {
    const skew = 3 * 3_600_000;
    fake.answer = ({ headers }) => {
      const said = String(headers["x-amz-date"]).replace(/^(....)(..)(..T..)(..)(..Z)$/, "$1-$2-$3:$4:$5");
      const isRight = Math.abs(Date.parse(said) - Date.now() - skew) < 60_000;
      if (isRight) return { body: "bytes" };
      return {
        ...{ status: 403, headers: { Date: new Date(Date.now() + skew).toUTCString() } },
        body: "<Error><Code>RequestTimeTooSkewed</Code><Message>The difference is too large.</Message></Error>",
      };
    };
    await within({}, async () => {
      const store = new S3Store("s3://bucket", { ...options, backoffMs: 1 });
      await store.get("/a");
      await store.get("/b");
      // HEAD has no body to say why.
      expect(await new S3Store("s3://bucket", { ...options, backoffMs: 1 }).has("/a")).toBe(true);
    });
    expect(fake.asked.length).toBe(5);
  });

  test("keys that grew old are had again, where they can be", async () => {
    let valid = 1;
    let given = 0;
    fake.answer = ({ headers }) =>
      headers["x-amz-security-token"] === `session-${valid}`
        ? { body: "bytes" }
        : {
            status: 400,
            body: "<Error><Code>ExpiredToken</Code><Message>The token has expired</Message></Error>",
          };
    await within({}, async () => {
      const credentials = () => ({
        ...KEYS,
        sessionToken: `session-${++given}`,
        expires: Date.now() + 3.6e6,
      });
      const store = new S3Store("s3://bucket", { ...options, credentials, backoffMs: 1 });
      await store.get("/a");
      valid = 2;
      await store.get("/a");
      expect(given).toBe(2);
      await expect(read({ ...options, credentials: { ...KEYS, sessionToken: "old" } })).rejects.toThrow(
        "The credentials are too old: get new ones",
      );
    });
  });

  test("429, 408, 400 RequestTimeout, 409 in a race, XML that is cut off", async () => {
    const page =
      "<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>p/a</Key><Size>1</Size><LastModified>2024-01-01T00:00:00Z</LastModified></Contents></ListBucketResult>";
    const answers: Answered[] = [
      { status: 429 },
      { status: 408 },
      { status: 400, body: "<Error><Code>RequestTimeout</Code></Error>" },
      { status: 409, body: "<Error><Code>ConditionalRequestConflict</Code></Error>" },
      { body: page.slice(0, 150) },
      { body: page },
    ];
    fake.answer = () => answers.shift()!;
    const keys: string[] = [];
    await within({}, async () => {
      for await (const key of new S3Store("s3://bucket/p", { ...options, backoffMs: 1 }).list("/"))
        keys.push(key);
    });
    expect([keys, answers.length]).toEqual([["/a"], 0]);
  });
});

describe("refusals", () => {
  const options = { region: "us-east-1", credentials: KEYS, backoffMs: 1 };

  test("a bucket of another region: which", async () => {
    fake.answer = () => ({
      status: 301,
      headers: { "x-amz-bucket-region": "eu-central-1", Location: `${fake.url}/elsewhere` },
    });
    await expect(within({}, () => read(options))).rejects.toThrow(
      'The bucket is in eu-central-1, not in us-east-1: say {region: "eu-central-1"}, or AWS_REGION=eu-central-1',
    );
    // Credentials do not go where an answer says.
    expect(fake.asked.map(({ path }) => path)).toEqual(["/bucket/p/a"]);
    fake.answer = () => ({
      status: 400,
      body: "<Error><Code>AuthorizationHeaderMalformed</Code><Region>eu-west-3</Region></Error>",
    });
    await expect(within({}, () => read(options))).rejects.toThrow("The bucket is in eu-west-3");
  });

  test("answers that are not what belongs", async () => {
    await within({}, async () => {
      const store = new S3Store("s3://bucket/p", { ...options, retries: 1 });
      const listed = async (): Promise<string[]> => {
        const keys: string[] = [];
        for await (const key of store.list("/")) keys.push(key);
        return keys;
      };
      const page = (inside: string): string => `<ListBucketResult>${inside}</ListBucketResult>`;
      for (const [body, message] of [
        ["<html><body>hi</body></html>", "<html> without <IsTruncated>"],
        ["<!DOCTYPE x [<!ENTITY a 'b'>]><x/>", "no whole XML"],
        [page("<IsTruncated>true</IsTruncated>"), "without <NextContinuationToken>"],
        [
          page(
            "<IsTruncated>false</IsTruncated><Contents><Key>other/a</Key><Size>1</Size><LastModified>2024-01-01T00:00:00Z</LastModified></Contents>",
          ),
          "do not begin as was asked for",
        ],
        [
          page("<IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>"),
          "has no end",
        ],
        [page(`<IsTruncated>false</IsTruncated>${"<a>".repeat(50)}`), "more elements than belong"],
      ] as const) {
        fake.answer = () => ({ body });
        await expect(listed(), body).rejects.toThrow(message);
      }
      fake.answer = () => ({ body: "x".repeat(2 ** 24 + 1) });
      await expect(listed()).rejects.toThrow("an answer of more than 16777216 bytes");
    });
  }, 30_000);

  test("secrets are nowhere: messages, causes, inspection, locations, plans", async () => {
    const texts: string[] = [];
    const sas = "sv=2022-11-02&sp=rl&sig=SiGnAtUrE%2Bof%2Fsas%3D";
    const token = "ya29.token-of-google-or-azure";
    // A server that tells all it was told, and more of what it knows.
    fake.answer = ({ headers, query }) => {
      const { authorization = "" } = headers;
      const keys = `${KEYS.accessKeyId} ${SECRET} ${encodeURIComponent(SECRET)} session-token-123`;
      const known = authorization.startsWith("AWS4") ? keys : `${query.get("sig")} ${query}`;
      const message = `${authorization} ${authorization.slice(7)} ${known}`.replaceAll("&", "&amp;");
      return { status: 403, body: `<Error><Code>AccessDenied</Code><Message>${message}</Message></Error>` };
    };
    const throwing: typeof fetch = async (input, init) => {
      throw new Error(`cannot reach ${input} with ${JSON.stringify([...new Headers(init?.headers)])}`);
    };
    await within({}, async () => {
      const credentials = { ...KEYS, sessionToken: "session-token-123" };
      const endpoint = fake.url;
      const stores = [{}, { fetch: throwing, retries: 0 }].flatMap((more) => [
        new cw.S3Store("s3://bucket/p", { ...options, credentials, ...more }),
        new cw.GcsStore("gs://bucket/p", { token, endpoint, ...more }),
        new cw.AzureStore("az://account/container/p", { sas, endpoint, ...more }),
        new cw.AzureStore("az://account/container/p", { token, endpoint, ...more }),
      ]);
      for (const store of stores) {
        texts.push(
          inspect(store, { depth: 10, showHidden: true }),
          JSON.stringify(store),
          JSON.stringify(store.location()),
        );
        for (const ask of [
          () => store.get("/a"),
          () => store.set("/a", new Uint8Array(1)),
          () => store.setNew("/a", new Uint8Array(1)),
          () => store.has("/a"),
          () => store.listDir("/"),
          () => store.deleteBelow("/"),
          () => cw.fromZarr(store),
          () => cw.arange(10).toZarr(store, { executor: "inline" }),
        ]) {
          const error: unknown = await ask().then(
            () => expect.unreachable(),
            (cause: unknown) => cause,
          );
          texts.push(
            inspect(error, { depth: 10, showHidden: true }),
            JSON.stringify(error),
            String((error as Error).stack),
          );
        }
      }
    });
    const all = texts.join("\n");
    expect(texts.length).toBe(8 * 27);
    expect(all).toContain("AccessDenied");
    for (const secret of [SECRET, KEYS.accessKeyId, "session-token-123", "SiGnAtUrE", token])
      expect(all.includes(secret), secret).toBe(false);
    expect(all).not.toMatch(/Signature=[0-9a-f]/);
  });

  test("addresses with secrets in them are refused without repeating them", () => {
    for (const address of [
      "s3://AKID:secretsecret@bucket/p",
      "az://account/container/p?sv=2022&sig=secretsecret",
      new URL("az://account/container/p?sig=secretsecret"),
    ]) {
      const Kind = String(address).startsWith("s3") ? cw.S3Store : cw.AzureStore;
      const error = (() => {
        try {
          return new Kind(address);
        } catch (cause) {
          return inspect(cause);
        }
      })();
      expect(error).toMatch(/ValueError/);
      expect(error).not.toContain("secretsecret");
    }
    for (const wrong of [
      "s3://",
      "s3://b",
      "s3:///path",
      "gs://bucket",
      "https://bucket",
      "s3://a b/c",
      "s3://x..y/c",
    ])
      expect(() => new cw.S3Store(wrong), wrong).toThrow("s3://bucket/path");
    expect(() => new cw.S3Store("s3://bucket", { region: "x.evil.org/" })).toThrow("region");
    expect(() => new cw.S3Store("s3://bucket", { endpoint: "https://a:b@c" })).toThrow(
      "no plain http(s) address",
    );
  });
});

test("a location opens the same store elsewhere; hosts and paths are as they should be", async () => {
  await within(
    { AWS_ACCESS_KEY_ID: "AKIDENV", AWS_SECRET_ACCESS_KEY: SECRET, AWS_ENDPOINT_URL: undefined },
    async () => {
      const addressOf = (text: string, options: S3StoreOptions = {}): Promise<string> =>
        new S3Store(text, options).address();
      expect(await addressOf("s3://bucket/a/b", { region: "eu-west-1" })).toBe(
        "https://bucket.s3.eu-west-1.amazonaws.com/a/b",
      );
      expect(await addressOf("s3://my.bucket", { region: "cn-north-1" })).toBe(
        "https://s3.cn-north-1.amazonaws.com.cn/my.bucket",
      );
      expect(await addressOf("s3://bucket", { endpoint: "https://x.r2.example", pathStyle: false })).toBe(
        "https://bucket.x.r2.example",
      );
      const store = new S3Store("s3://bucket/a/b", {
        region: "eu-west-1",
        endpoint: fake.url,
        profile: "lab",
        pathStyle: true,
      });
      const location = store.location()!;
      expect(location).toEqual({
        kind: "s3",
        bucket: "bucket",
        path: "a/b",
        region: "eu-west-1",
        endpoint: fake.url,
        profile: "lab",
        pathStyle: true,
      });
      expect((await storeAt(location)).location!()).toEqual(location);
    },
  );
});
