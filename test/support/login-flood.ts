/**
 * Wrong logins without end, many at a time and from many networks: what an attacker does who would guess passwords or
 * keep the owner out. Every name is made up, so that no throttle slows them. `send` decides how they get to the server.
 */

export interface FloodOptions {
  /** Logins under way at any time. */
  readonly atOnce: number;
  /** Networks that they come from, /24 and /48 in turns; at most 65,536. */
  readonly networks: number;
}

/** Sends a login from an address (as `X-Forwarded-For`) and returns the answer. */
export type SendLogin = (body: object, address: string) => Promise<Response>;

export class LoginFlood {
  /** Logins whose password was checked, and those that were sent away. */
  checked = 0;
  refused = 0;
  /** Statuses other than 401. */
  readonly unexpected: number[] = [];
  private sent = 0;
  private isRunning = true;
  private readonly workers: readonly Promise<void>[];

  /** Starts at once. */
  constructor(
    private readonly send: SendLogin,
    { atOnce, networks }: FloodOptions,
  ) {
    this.workers = Array.from({ length: atOnce }, () => this.work(networks));
  }

  /** Resolves when every login is answered. */
  async stop(): Promise<void> {
    this.isRunning = false;
    await Promise.all(this.workers);
  }

  private async work(networks: number): Promise<void> {
    while (this.isRunning) {
      const at = this.sent++;
      const body = { username: `nobody ${at}`, password: "wrong horse" };
      const answer = await this.send(body, addressIn(at % networks, at));
      await answer.text();
      if (answer.status !== 401) this.unexpected.push(answer.status);
      else if (!answer.headers.has("retry-after")) this.checked++;
      else {
        this.refused++;
        // A refusal comes at once, and this machine has something else to do as well.
        await Bun.sleep(1);
      }
    }
  }
}

function addressIn(network: number, host: number): string {
  const bytes = [network >> 8, network & 255];
  return network % 2 === 0
    ? `10.${bytes.join(".")}.${host & 255}`
    : `2001:db8:${network.toString(16)}::${(host & 65_535).toString(16)}`;
}
