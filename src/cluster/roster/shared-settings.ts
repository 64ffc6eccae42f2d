/**
 * The settings that all nodes should have alike, because the one that sequences goes by its own for all of them: with
 * another one, what counts and what is deleted would depend on which node that is.
 */
import type { Logger } from "../../lib/log.ts";
import { folderOf } from "./node-name.ts";
import type { HeardNode, NodeReport, SettingTexts } from "./roster.ts";

export class SharedSettings {
  /** The differences that were told, by the folder of a node: a restart is the same node. */
  private readonly told = new Map<string, string>();

  constructor(
    private readonly own: SettingTexts,
    private readonly logger: Logger,
  ) {}

  /** Takes what a node has just said. */
  note({ name, settings }: NodeReport): void {
    const folder = folderOf(name);
    const flags = this.differing(settings);
    const before = this.told.get(folder) ?? "";
    this.told.set(folder, flags);
    if (flags === before || flags === "") return;
    this.logger.warn("nodes have different settings: give all the same", { node: name, settings: flags });
  }

  /** Returns the nodes whose settings are not this one's, in words. */
  troublesAmong(nodes: readonly HeardNode[]): readonly string[] {
    return nodes.flatMap(({ name, settings }) => {
      const flags = this.differing(settings);
      return flags === "" ? [] : [`${name} has another ${flags} than this node`];
    });
  }

  /** Returns whether all of these nodes have this one's value. */
  isSame(flag: string, nodes: readonly HeardNode[]): boolean {
    return nodes.every(({ settings }) => !this.differsIn(flag, settings));
  }

  private differing(settings: SettingTexts | undefined): string {
    const flags = Object.keys(this.own).filter((flag) => this.differsIn(flag, settings));
    return flags.map((flag) => `--${flag}`).join(", ");
  }

  /** A setting that only one of two versions knows is none that differs. */
  private differsIn(flag: string, settings: SettingTexts | undefined): boolean {
    const said = settings?.[flag];
    return typeof said === "string" && said !== this.own[flag];
  }
}
