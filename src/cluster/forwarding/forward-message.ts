/** The form of a message between two nodes: the length of its head, the head as JSON, and bytes that belong to it. */

const lengthBytes = 4;
const none = new Uint8Array(0);
const encoder = new TextEncoder();
const decoder = new TextDecoder();

export interface Unpacked<Head> {
  readonly head: Head;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export function packed(head: object, bytes: Uint8Array = none): Uint8Array {
  const text = encoder.encode(JSON.stringify(head));
  const data = new Uint8Array(lengthBytes + text.length + bytes.length);
  new DataView(data.buffer).setUint32(0, text.length);
  data.set(text, lengthBytes);
  data.set(bytes, lengthBytes + text.length);
  return data;
}

/** Takes what `packed` made. The bytes are a copy: the message lies in a buffer of the connection. */
export function unpacked<Head>(data: Uint8Array): Unpacked<Head> {
  const end = lengthBytes + new DataView(data.buffer, data.byteOffset).getUint32(0);
  const head = JSON.parse(decoder.decode(data.subarray(lengthBytes, end))) as Head;
  return { head, bytes: new Uint8Array(data.subarray(end)) };
}
