/** The answer of another node, which is sent as it is. */

export class Forwarded {
  constructor(readonly response: Response) {}
}
