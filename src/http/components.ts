/** Collects the schemas that have a name: the OpenAPI document has each once, and refers to it elsewhere. */
import { assert } from "../lib/assert.ts";

export class Components {
  readonly schemas: Record<string, object> = {};

  /** Returns a schema, or anything that contains schemas, with a reference in place of each that has a name. */
  place(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((entry) => this.place(entry));
    if (typeof value !== "object" || value === null) return value;
    const { $id: name, ...own } = value as { readonly $id?: string };
    const placed = Object.fromEntries(Object.entries(own).map(([key, part]) => [key, this.place(part)]));
    return name === undefined ? placed : this.refer(name, placed);
  }

  private refer(name: string, schema: object): object {
    const known = (this.schemas[name] ??= schema);
    assert(JSON.stringify(known) === JSON.stringify(schema), `the schema ${name} has one meaning`);
    return { $ref: `#/components/schemas/${name}` };
  }
}
