/**
 * The attack on every operation of the server's own OpenAPI document, half with right input and half with wrong: each
 * answer has a status that the document lists, and the body that it says there; none is a 500.
 */
import { randomFrom } from "../support/random.ts";
import { account, browser, ServerProcess } from "../support/server.ts";
import { withFolder } from "../support/folder.ts";
import { mismatchesOf } from "../support/json-schema.ts";
import { WebhookReceiver } from "../support/webhook-receiver.ts";
import { ApiScene, type Prepared } from "./api-scene.ts";
import { none, siegeHostname, told, type Check } from "./attack.ts";
import { Picker } from "./odd-values.ts";
import {
  badRequest,
  goodRequest,
  operationsOf,
  type ApiRequest,
  type OpenApi,
  type Operation,
} from "./operations.ts";

export interface ApiOptions {
  /** For each operation. */
  readonly inputs: number;
  readonly seed: number;
  /** Returns the operations to be attacked; all by default. */
  readonly choose?: (operations: readonly Operation[]) => readonly Operation[];
}

const atOnce = 2;
/** The further tries of an operation. A right hit succeeds about every third time. */
const chancesMore = 40;
/** Whose answer has more than its schema says. */
const openAnswers = ["get-openapi-json"];

export function siegeApi(
  command: readonly string[],
  { inputs, seed, choose = (operations) => operations }: ApiOptions,
): Promise<Check[]> {
  return withFolder(async (folder) => {
    const receiver = new WebhookReceiver();
    // Without an account, so that there is one to be set up.
    const networks = ["--webhook-networks", "127.0.0.0/8,::1/128"];
    const server = await ServerProcess.start(command, folder, networks, {});
    try {
      const document = (await (await server.get("/openapi.json")).json()) as OpenApi;
      const all = operationsOf(document);
      const setUp = all.find(isSetUp) as Operation;
      const operations = [setUp, ...choose(all.filter((operation) => operation !== setUp))];
      const attack = new ApiAttack(
        server,
        new ApiScene(server, command, folder, receiver.url),
        new Picker(randomFrom(seed)),
      );
      await attack.setUp(setUp, inputs);
      for (const operation of operations.slice(1)) await attack.run(operation, inputs);
      return [
        told("inputs for each operation", inputs),
        told("seed", seed),
        told("operations", operations.length),
        told("answers by status", attack.statuses()),
        none(
          "operations that never succeeded",
          operations.map(({ id }) => id).filter((id) => !attack.succeeded.has(id)),
        ),
        none("out of line", attack.wrong),
      ];
    } finally {
      await server.end("SIGTERM");
      await receiver.stop();
    }
  });
}

/** Makes the first account: it is right once. */
function isSetUp({ id }: Operation): boolean {
  return id === "post-setup";
}

class ApiAttack {
  readonly succeeded = new Set<string>();
  readonly wrong: string[] = [];
  private readonly byStatus = new Map<number, number>();

  constructor(
    private readonly server: ServerProcess,
    private readonly scene: ApiScene,
    private readonly picker: Picker,
  ) {}

  /** Ends with an account and a website. */
  async setUp(operation: Operation, inputs: number): Promise<void> {
    const hints = { "body.token": () => "no token of this server" };
    for (let at = 0; at < inputs / 2; at++)
      await this.send(operation, badRequest(operation, this.picker, hints), { cookie: "" });
    const [, token] = /#setup=(\S+)/.exec(this.server.greeting) ?? [];
    const body = JSON.stringify({ ...account, token });
    const right = { method: operation.method, path: operation.path, body };
    // One with the origin of another website is refused, right as it is.
    const isTried = (at: number) =>
      at >= inputs / 2 && (this.succeeded.has(operation.id) || at >= chancesMore);
    for (let at = 0; !isTried(at); at++) await this.send(operation, right, { cookie: "" });
    await this.server.logIn();
    await this.server.post("/websites", { hostname: siegeHostname });
  }

  async run(operation: Operation, inputs: number): Promise<void> {
    const begun = await this.scene.begin(operation.id);
    const prepared = () => this.scene.prepare(operation.id, begun);
    const sendGood = async (more?: number) => {
      const { body, ...rest } = await prepared();
      const request = goodRequest(operation, this.picker, rest.hints, more);
      await this.send(operation, body === undefined ? request : { ...request, body }, rest);
    };
    // Values that are right each by itself may be wrong together: one request has only the parameters that it needs, and
    // an operation that has not succeeded yet gets more chances.
    await sendGood(0);
    await this.times(inputs / 2 - 1, () => sendGood());
    for (let left = chancesMore; left > 0 && !this.succeeded.has(operation.id); left--) await sendGood();
    // An operation that takes nothing but a session is done whatever else is wrong.
    const needsNone = ["delete-user", "post-auth-logout"].includes(operation.id);
    await this.times(inputs / 2, async () => {
      const { cookie, hints, bearer } = needsNone ? begun : await prepared();
      const isWithout = needsNone || this.picker.chance(0.1);
      const shown = isWithout ? this.picker.of(["", "_me_sess=", "_me_sess=x%"]) : cookie;
      const request = badRequest(operation, this.picker, hints);
      await this.send(operation, request, { cookie: shown, ...(!isWithout && bearer && { bearer }) });
    });
  }

  private async times(count: number, send: () => Promise<void>): Promise<void> {
    let left = count;
    const work = async () => {
      while (left-- > 0) await send();
    };
    await Promise.all(Array.from({ length: atOnce }, work));
  }

  private async send(
    operation: Operation,
    { method, path, body }: ApiRequest,
    { cookie, link, bearer }: Pick<Prepared, "cookie" | "link" | "bearer">,
  ): Promise<void> {
    const address = Array.from({ length: 4 }, () => 1 + this.picker.below(250)).join(".");
    const answer = await fetch(this.server.url(path), {
      method,
      headers: {
        cookie,
        "user-agent": browser,
        ...(link !== undefined && { "footfall-link": link }),
        ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
        "x-forwarded-for": address,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(method !== "GET" && this.picker.chance(0.03) && { origin: "https://evil.example" }),
      },
      ...(body !== undefined && { body }),
    });
    const { status } = answer;
    this.byStatus.set(status, (this.byStatus.get(status) ?? 0) + 1);
    if (answer.ok) this.succeeded.add(operation.id);
    const found =
      operation.needsSession && cookie.length < 20 && status !== 401
        ? `without a session it was answered ${status}`
        : await this.wrongIn(operation, answer);
    if (found !== undefined) this.wrong.push(`${found}: ${method} ${path} with ${body ?? "no body"}`);
  }

  private async wrongIn({ id, answers }: Operation, answer: Response): Promise<string | undefined> {
    const { status, headers } = answer;
    const text = await textOf(answer);
    if (status === 500 || !answers.has(status)) return `it was answered ${status} ${text}`;
    if (!headers.has("x-api-commit")) return "the build is not named";
    const wanted = answers.get(status);
    if (wanted === undefined) return text === "" ? undefined : `there is a body: ${text}`;
    const [media, schema] = wanted;
    if (headers.get("content-type") !== media) return `its type is ${headers.get("content-type")}`;
    if (openAnswers.includes(id)) return undefined;
    const mismatches = mismatchesOf({}, false)(
      media === "application/json" ? JSON.parse(text) : text,
      schema,
    );
    return mismatches.length === 0 ? undefined : `${mismatches.join(", ")} in ${text}`;
  }

  statuses(): string {
    const sorted = [...this.byStatus].toSorted(([a], [b]) => a - b);
    return sorted.map(([status, count]) => `${status}: ${count}`).join(", ");
  }
}

/** The beginning of a stream. */
async function textOf(answer: Response): Promise<string> {
  if (answer.headers.get("content-type") !== "text/event-stream") return answer.text();
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
  const { value } = await reader.read();
  await reader.cancel();
  return new TextDecoder().decode(value);
}
