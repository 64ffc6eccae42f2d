/**
 * A bucket of S3 that keeps the files of backups. Bun's client takes endpoint, region and keys from the environment:
 * S3_ENDPOINT, S3_REGION, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY, or the same with AWS_.
 */
import { Refusal } from "../../core/refusal.ts";
import type { BackupStore } from "./store.ts";

const scheme = "s3://";
const keys = ["ACCESS_KEY_ID", "SECRET_ACCESS_KEY"];

export function isBucket(place: string): boolean {
  return place.startsWith(scheme);
}

/** The client itself says only at its first request that it lacks a key, and not in which variable. */
function expectKeys(place: string): void {
  const missing = keys.filter((key) => !(Bun.env[`S3_${key}`] ?? Bun.env[`AWS_${key}`]));
  if (missing.length === 0) return;
  const named = missing.map((key) => `S3_${key} (or AWS_${key})`).join(" and ");
  throw new Refusal(
    400,
    `${place}: the environment lacks ${named}; S3_ENDPOINT says where a bucket is that is not one of Amazon's`,
  );
}

export class BucketStore implements BackupStore {
  private readonly client: Bun.S3Client;
  /** The beginning of all keys: empty, or with a slash at its end. */
  private readonly prefix: string;

  /** `place`: such as `s3://bucket/folder`. Throws Refusal. */
  constructor(readonly place: string) {
    const [bucket = "", ...folders] = place.slice(scheme.length).split("/").filter(Boolean);
    if (bucket === "") throw new Refusal(400, `${place}: expected a bucket, as in s3://bucket/folder`);
    expectKeys(place);
    this.client = new Bun.S3Client({ bucket });
    this.prefix = folders.map((folder) => `${folder}/`).join("");
  }

  list(): Promise<ReadonlyMap<string, number>> {
    return this.asked("list", "", async () => {
      const found = new Map<string, number>();
      let continuationToken: string | undefined;
      do {
        const { prefix } = this;
        const answer = await this.client.list({ prefix, ...(continuationToken && { continuationToken }) });
        for (const { key, size } of answer.contents ?? []) found.set(key.slice(prefix.length), size ?? NaN);
        continuationToken = answer.isTruncated ? answer.nextContinuationToken : undefined;
      } while (continuationToken !== undefined);
      return found;
    });
  }

  read(name: string): Promise<Uint8Array> {
    return this.asked("read", name, () => this.client.file(this.prefix + name).bytes());
  }

  write(name: string, bytes: Uint8Array): Promise<void> {
    return this.asked("write", name, async () => void (await this.client.write(this.prefix + name, bytes)));
  }

  remove(name: string): Promise<void> {
    return this.asked("remove", name, () => this.client.delete(this.prefix + name));
  }

  /** A bucket acknowledges only what is durable. */
  async sync(): Promise<void> {}

  private async asked<T>(operation: string, name: string, ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      const { code = "", message } = error as { code?: string; message: string };
      throw new Refusal(
        500,
        `cannot ${operation} ${[this.place, name].filter(Boolean).join("/")}: ${message} (${code})`,
      );
    }
  }
}
