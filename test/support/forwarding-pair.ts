/** Two nodes on a real nats-server: the first one sequences, and the second one forwards what comes to its socket. */
import type { Answerer } from "../../src/cluster/forwarding/forward-receiver.ts";
import type { Peers } from "../../src/cluster/forwarding/peers.ts";
import type { Sender } from "../../src/collect/hit.ts";
import { type App } from "../../src/http/app.ts";
import { listen, type Listening } from "../../src/http/serve.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { SharedNode, peersOf, type Roles } from "./cluster-nodes.ts";
import { appOf, TestServer } from "./http.ts";
import { NatsServers } from "./nats.ts";
import { browser } from "./server.ts";

export class ForwardingPair {
  /** The addresses of hits as the first node heard them. */
  readonly heard: string[] = [];
  /** How many requests came to the first node. */
  ranAtFirst = 0;
  /** A path for which the first node, of an earlier version, has no endpoint. */
  lackedAtFirst = "";
  /** The clock of the second node is so far ahead. */
  aheadMs = 0;
  readonly atSecond: Peers;
  /** The app of the second node, and its socket. */
  readonly app: App;
  readonly listening: Listening;
  private readonly atFirst: Peers;

  private constructor(
    readonly servers: NatsServers,
    readonly roles: Roles,
    readonly first: SharedNode,
    readonly second: SharedNode,
    /** The server of the first node: requests come to it from the other only. */
    readonly server: TestServer,
    readonly session: string,
  ) {
    const hear = ({ address, network, isUnnamedProxy }: Sender) => {
      this.ranAtFirst += 1;
      this.heard.push(`${address} ${network}${isUnnamedProxy ? " hidden" : ""}`);
    };
    const answerer: Answerer = (request, sender) => {
      hear(sender);
      const isLacked = new URL(request.url).pathname === this.lackedAtFirst;
      const asked = isLacked ? new Request("http://localhost/lacked", request) : request;
      return server.app.fetchForwarded(asked, sender);
    };
    this.atFirst = peersOf(first, answerer, systemClock, (body, headers, sender) => {
      hear(sender);
      return server.app.hitForwarded(body, headers, sender);
    });
    const clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + this.aheadMs };
    this.atSecond = peersOf(second, undefined, clock);
    const { engine, setUp } = server;
    this.app = appOf(engine, { setUp, cluster: this.atSecond });
    this.listening = listen(this.app, "127.0.0.1", 0);
  }

  static async open(): Promise<ForwardingPair> {
    const servers = await NatsServers.start();
    const roles: Roles = { sequencer: "first" };
    const [first, second] = await Promise.all([
      SharedNode.open("first", servers.urls, roles),
      SharedNode.open("second", servers.urls, roles),
    ]);
    const server = await TestServer.open();
    return new ForwardingPair(servers, roles, first, second, server, await server.prepare());
  }

  async stop(): Promise<void> {
    await this.listening.stop(0);
    await this.atFirst.stop();
    await this.atSecond.stop();
    await Promise.all([this.first.stop(), this.second.stop()]);
    await this.servers.stop();
  }

  /** As it was at first. */
  reset(): void {
    this.roles.sequencer = "first";
    this.second.isBehind = false;
    this.lackedAtFirst = "";
    this.heard.length = 0;
    this.ranAtFirst = 0;
  }

  /** Asks the second node. */
  ask(
    method: string,
    path: string,
    given: { body?: string | ReadableStream<Uint8Array>; headers?: Record<string, string> } = {},
  ): Promise<Response> {
    return fetch(new URL(path, this.listening.url), {
      method,
      ...(given.body !== undefined && { body: given.body }),
      headers: { "content-type": "application/json", "user-agent": browser, ...given.headers },
    });
  }

  load(beacon: string, headers = {}): Promise<Response> {
    const body = JSON.stringify({ b: beacon, u: "https://example.com/", p: true });
    return this.ask("POST", "/event/hit", { body, headers });
  }

  asOwner(): { cookie: string } {
    return { cookie: `_me_sess=${this.session}` };
  }
}
