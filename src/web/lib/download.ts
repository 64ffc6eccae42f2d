/** Offers a text to the person as a file. */

export function download(name: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  link.download = name;
  link.click();
  // Not every browser has read the file when the click returns.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
