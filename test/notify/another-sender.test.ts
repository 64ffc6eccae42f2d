/** One node of a cluster sends at a time, and the next one knows what the one before has sent. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { Messenger } from "../../src/notify/messenger.ts";
import { subscriptionAdded, userAdded, websiteAdded } from "../support/account-records.ts";
import { TestCluster, type TestNode } from "../support/cluster.ts";
import { describeWith } from "../support/needs.ts";
import { SmtpServer } from "../support/smtp-server.ts";
import { headerOf, publicUrl } from "../support/told.ts";
import { until } from "../support/until.ts";

describeWith("nats", "the nodes of a cluster", () => {
  let cluster: TestCluster;
  let smtp: SmtpServer;
  const messengers = new Map<TestNode, Messenger>();
  beforeEach(async () => {
    smtp = await SmtpServer.open();
    cluster = await TestCluster.start();
  });
  afterEach(async () => {
    for (const messenger of messengers.values()) await messenger.stop();
    messengers.clear();
    await cluster.stop();
    await smtp.close();
  });

  async function open(name: string): Promise<TestNode> {
    const node = await cluster.open(name);
    const server = { host: "127.0.0.1", port: smtp.port, secure: false, requireTls: false };
    const mail = { ...server, login: undefined, from: "stats@example.org" };
    const settings = { url: publicUrl, mail, webhookNetworks: [] };
    const isActive = () => node.node.isSequencer;
    messengers.set(node, new Messenger({ engine: node.engine, settings, isActive }));
    return node;
  }

  async function close(node: TestNode): Promise<void> {
    await messengers.get(node)?.stop();
    messengers.delete(node);
    await cluster.close(node);
  }

  /** Adds a weekly report of a website to the address, and lets all messengers look. */
  async function subscribe(websiteId: number): Promise<void> {
    const { engine } = await cluster.sequencer();
    const added = subscriptionAdded(websiteId, 1, { timeMs: engine.nowMs() });
    await engine.commit(added);
    await look();
  }

  async function look(): Promise<void> {
    for (const messenger of messengers.values()) await messenger.look();
  }

  test("ask an address once a day, also where another one asked it", async () => {
    for (const name of ["a", "b"]) await open(name);
    const first = await cluster.sequencer();
    await first.engine.commit(userAdded(1, "ada"));
    for (const id of [1, 2]) await first.engine.commit(websiteAdded(id, `${id}.example.com`));
    await subscribe(1);
    await until(() => smtp.mails.length === 1, "the address is asked");
    await cluster.level();
    await close(first);
    await cluster.sequencer();
    await subscribe(2);
    await look();
    const subjects = smtp.mails.map((mail) => headerOf(mail, "subject"));
    expect(subjects).toEqual(["Do you want reports about 1.example.com?"]);
  });
});
