/** Frees the memory of a view at once, unless it is shared. The view, and every other one of the same memory, is empty then. */
export function free({ buffer }: ArrayBufferView): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
