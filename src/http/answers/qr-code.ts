/** QR codes, as what an SVG draws. Most servers never make one: the package is loaded when one is asked for. */

export interface QrCode {
  /** The length of a side in modules, with the four that stay free around it. */
  readonly size: number;
  /** The `d` of a path of the dark modules, each 1 wide. */
  readonly path: string;
}

export async function qrCodeOf(text: string): Promise<QrCode> {
  const { encode } = await import("uqr");
  const { data, size } = encode(text, { ecc: "M", border: 4 });
  const rows = data.map((row, y) =>
    Array.from(
      row
        .map((isDark) => (isDark ? "#" : " "))
        .join("")
        .matchAll(/#+/g),
      ({ index, 0: { length } }) => `M${index} ${y}h${length}v1h-${length}z`,
    ).join(""),
  );
  return { size, path: rows.join("") };
}
