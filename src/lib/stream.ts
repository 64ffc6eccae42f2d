/** A stream of bytes that are made while they are taken: nothing is made that nobody waits for. */

/**
 * `failed` receives what making them throws; whoever reads the stream sees that it breaks off. Once nobody reads any more,
 * there is nobody to tell. `end` is called when all are taken or nobody reads any more, and may be called more than once.
 */
export function streamOf(
  bytes: AsyncGenerator<Uint8Array>,
  failed: (error: unknown) => void,
  end: () => void = () => {},
): ReadableStream<Uint8Array> {
  let isCancelled = false;
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    try {
      const { value, done } = await bytes.next();
      if (isCancelled) return;
      if (done !== true) return controller.enqueue(value);
      end();
      controller.close();
    } catch (error) {
      end();
      if (isCancelled) return;
      failed(error);
      controller.error();
    }
  };
  const cancel = async () => {
    isCancelled = true;
    end();
    await bytes.return(undefined);
  };
  return new ReadableStream({ pull, cancel }, { highWaterMark: 0 });
}
