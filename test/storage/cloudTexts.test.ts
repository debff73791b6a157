// Texts of object storage: XML that must be whole, addresses, profile files, and values that hold for a while.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sectionOf } from "../../src/storage/cloud/awsProfiles.ts";
import {
  addressText,
  cloudAddress,
  encodedName,
  isBelowAddress,
  queryText,
} from "../../src/storage/cloud/cloudAddress.ts";
import { FreshValue } from "../../src/storage/cloud/freshValue.ts";
import { cloudLocationFrom, foreignSite } from "../../src/storage/cloud/openCloud.ts";
import { childText, escaped, readXml, type XmlElement } from "../../src/storage/cloud/xmlReader.ts";
import { S3Store, StoreKeyError } from "../../src/storage/index.ts";

describe("XML", () => {
  const written = (element: XmlElement): string =>
    `<${element.name}>${escaped(element.text)}${element.children.map(written).join("")}</${element.name}>`;
  const text = fc.string({ unit: "grapheme", maxLength: 20 });
  const name = fc.stringMatching(/^[A-Za-z][\w.-]{0,8}$/);
  const element = fc.letrec<{ node: XmlElement }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 5 },
      fc.record({ name, text, children: fc.constant([]) }),
      fc.record({ name, text, children: fc.array(tie("node"), { maxLength: 3 }) }),
    ),
  })).node;

  test("what was written is read; what is cut off is an error", () => {
    fc.assert(
      fc.property(element, fc.nat(), (tree, cut) => {
        const xml = `<?xml version="1.0"?>\n${written(tree)}`;
        expect(readXml(xml)).toEqual(tree);
        expect(() => readXml(xml.slice(0, cut % xml.length))).toThrow();
      }),
    );
  });

  test("any text ends, with an element or an error", () => {
    const pieces = fc.constantFrom(
      "<a>",
      "</a>",
      "<b x='1'/>",
      "&amp;",
      "&",
      "<!--",
      "-->",
      "<?x?>",
      "<",
      " ",
      "x",
      "]]>",
      "<!DOCTYPE a>",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
        let read: XmlElement | Error;
        try {
          read = readXml(parts.join(""));
        } catch (cause) {
          read = cause as Error;
        }
        expect(read instanceof Error || typeof read.name === "string").toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    "",
    "text",
    "<a>",
    "<a></b>",
    "<a/><b/>",
    "<a>&nbsp;</a>",
    "<a>&#x110000;</a>",
    "<a>& b</a>",
    "<!DOCTYPE a><a/>",
    "<a b=c/>",
    "<a/>x",
  ])("%j is refused", (xml) => {
    expect(() => readXml(xml)).toThrow();
  });

  test("entities, attributes, comments", () => {
    const xml = `\n<?xml version="1.0"?><!-- a - b --><R xmlns="x" y='z'><K a="1">&lt;&#233;&#x1F98A;&quot;</K><E/></R>\n`;
    const read = readXml(xml);
    expect([childText(read, "K"), childText(read, "E"), childText(read, "N")]).toEqual([
      '<é🦊"',
      "",
      undefined,
    ]);
  });
});

describe("addresses", () => {
  test("what they are made of", () => {
    expect(cloudAddress("s3://b-1.c_D/a b/ü/")).toEqual({
      scheme: "s3",
      account: "",
      bucket: "b-1.c_D",
      path: "a b/ü",
    });
    expect(cloudAddress("AZ://acc1/cont/p")).toEqual({
      scheme: "az",
      account: "acc1",
      bucket: "cont",
      path: "p",
    });
    expect(cloudAddress(new URL("gs://bucket/a%20b")).path).toBe("a b");
    expect(cloudAddress("s3://bucket/year=2024/part-?.parquet").path).toBe("year=2024/part-?.parquet");
    expect(addressText(cloudAddress("az://acc1/cont/p/q"))).toBe("az://acc1/cont/p/q");
    for (const wrong of [
      "s3://bucket/../x",
      "s3://bucket//x",
      "s3://bucket/a/./b",
      "s3://u@bucket",
      "s3://bucket/x?y=1",
      "s3://-b",
    ])
      expect(() => cloudAddress(wrong), wrong).toThrow();
    for (const wrong of [
      { retires: 1 },
      { concurrency: Number.NaN },
      { concurrency: 0 },
      { retries: "3" },
      { missing: 404 },
    ])
      expect(() => new S3Store("s3://bucket", wrong as never), JSON.stringify(wrong)).toThrow(
        /there is no option|is no number that can be|is no list/,
      );
  });

  test("half a character is no name", async () => {
    const store = new S3Store("s3://bucket", { anonymous: true, retries: 0 });
    await expect(store.get("/a\ud800")).rejects.toBeInstanceOf(StoreKeyError);
  });

  test("below by whole names", () => {
    const below = (address: string, root: string): boolean =>
      isBelowAddress(cloudAddress(address), cloudAddress(root));
    expect(below("s3://bucket/a/b", "s3://bucket/a")).toBe(true);
    expect(below("s3://bucket/a", "s3://bucket/a/")).toBe(true);
    expect(below("s3://bucket/ab", "s3://bucket/a")).toBe(false);
    expect(below("s3://bucket2", "s3://bucket")).toBe(false);
    expect(below("gs://bucket/a", "s3://bucket/a")).toBe(false);
  });

  test("names in URLs come back as they were", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (name) => {
        const url = `http://h/${encodedName(name)}?${queryText({ q: name })}`;
        expect(url).toMatch(/^[\w.~%/:?=&-]+$/);
        expect(new URL(url).searchParams.get("q")).toBe(name);
        expect(decodeURIComponent(encodedName(name))).toBe(name);
      }),
    );
  });

  test("locations from elsewhere have what belongs, and no more", () => {
    const right = {
      kind: "s3",
      bucket: "bucket",
      path: "a/b",
      region: "r",
      endpoint: "http://h",
      pathStyle: true,
    };
    expect(cloudLocationFrom(right)).toEqual(right);
    for (const wrong of [
      ...[null, {}, { ...right, kind: "ftp" }, { ...right, path: "../x" }, { ...right, bucket: "a/b" }],
      ...[
        { ...right, credentials: {} },
        { ...right, path: 5 },
        { ...right, anonymous: "no" },
        { ...right, bucket: undefined },
      ],
    ])
      expect(cloudLocationFrom(wrong), JSON.stringify(wrong)).toBeNull();
    expect(foreignSite({ kind: "s3", bucket: "bucket", path: "a/b", endpoint: "http://h/" })).toBe(
      "http://h/bucket/a/b",
    );
  });
});

test("profile files", () => {
  const text =
    "; c\n[a]\nx=1\n  nested = 2\n[ profile  b ]\ny = two words # no comment\n__proto__ = z\n[a]\nx=3\n";
  expect([...sectionOf(text, ["a"])!]).toEqual([["x", "3"]]);
  expect(sectionOf(text, ["profile b"])!.get("y")).toBe("two words # no comment");
  expect(sectionOf(text, ["c"])).toBeNull();
});

test("what holds for a while is had again in time, once for all who ask; a failure while it holds is none", async () => {
  let [count, fails] = [0, false];
  const value = new FreshValue(async () => {
    if (fails) throw new Error("not now");
    return { expires: 3_600_000 * ++count, count };
  });
  const all = await Promise.all([value.value(0), value.value(0), value.value(1)]);
  expect(all.map((got) => got.count)).toEqual([1, 1, 1]);
  expect((await value.value(54 * 60_000)).count).toBe(1);
  fails = true;
  expect((await value.value(56 * 60_000)).count).toBe(1);
  await expect(value.value(61 * 60_000)).rejects.toThrow("not now");
  fails = false;
  expect((await value.value(61 * 60_000)).count).toBe(2);
  expect(value.forget()).toBe(true);
  expect((await value.value(61 * 60_000)).count).toBe(3);
});
