declare module "tdigest" {
  export class TDigest {
    constructor(delta?: number | false, K?: number, CX?: number);
    push(value: number): void;
    percentile(p: number): number;
  }
}
