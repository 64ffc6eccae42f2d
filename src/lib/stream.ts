/** A stream of bytes that are made while they are taken: nothing is made that nobody waits for. */

/**
 * `failed` receives what making them throws; whoever reads the stream sees that it breaks off. `end` is called when all
 * are taken or nobody reads any more, and may be called more than once.
 */
export function streamOf(
  bytes: AsyncGenerator<Uint8Array>,
  failed: (error: unknown) => void,
  end: () => void = () => {},
): ReadableStream<Uint8Array> {
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    try {
      const { value, done } = await bytes.next();
      if (done !== true) return controller.enqueue(value);
      end();
      controller.close();
    } catch (error) {
      end();
      failed(error);
      controller.error();
    }
  };
  const cancel = async () => {
    end();
    await bytes.return(undefined);
  };
  return new ReadableStream({ pull, cancel }, { highWaterMark: 0 });
}
