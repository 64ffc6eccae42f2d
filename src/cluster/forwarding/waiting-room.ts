/**
 * The requests of clients that wait for another node, and the bytes that this node holds of them, both bounded. A request
 * holds its head and a small body. Of a long body it holds what was read and not sent yet: one that does not come holds
 * nothing.
 */
import { Refusal } from "../../core/refusal.ts";

const requestsMax = 16_384;
const bytesMax = 32 * 1024 * 1024;

export class WaitingRoom {
  /** The requests that wait. */
  count = 0;
  /** The bytes that are held of them. */
  bytes = 0;

  /** Takes a request in, with the bytes of its message. Throws Refusal 500 if there is no room. */
  enter(bytes: number): Reservation {
    if (this.count >= requestsMax || !this.hasRoom(bytes)) throw tooMany();
    this.count += 1;
    this.bytes += bytes;
    return new Reservation(bytes, this);
  }

  hasRoom(bytes: number): boolean {
    return this.bytes + bytes <= bytesMax;
  }
}

/** The part of the room that one request has. */
export class Reservation {
  private ofBody = 0;
  private isRefused = false;
  private hasLeft = false;

  constructor(
    private readonly ofMessage: number,
    private readonly room: WaitingRoom,
  ) {}

  /** Holds this many bytes of a long body now. Throws Refusal 500 if there is no room for them. */
  hold(bytes: number): void {
    if (this.hasLeft) return;
    const more = bytes - this.ofBody;
    if (more > 0 && !this.room.hasRoom(more)) {
      this.isRefused = true;
      throw tooMany();
    }
    this.ofBody = bytes;
    this.room.bytes += more;
  }

  /** Throws Refusal 500 if there was no room for a part of the body: the other node did not see all of it. */
  expectRoom(): void {
    if (this.isRefused) throw tooMany();
  }

  leave(): void {
    this.room.bytes -= this.ofMessage + this.ofBody;
    this.room.count -= 1;
    this.hasLeft = true;
  }
}

function tooMany(): Refusal {
  return new Refusal(500, "too many requests wait: try again", 1);
}
