/** A part of a page that is drawn again only for other values. */
import { Component, type ComponentChildren } from "preact";

interface DrawnForProps {
  readonly values: readonly unknown[];
  readonly draw: () => ComponentChildren;
}

/**
 * Draws its content when one of `values` is another. An element that is kept for this by `useMemo` keeps the page in which
 * it was first drawn, and that page the element before it: a page that is left open would never forget any of its rounds.
 */
export class DrawnFor extends Component<DrawnForProps> {
  override shouldComponentUpdate({ values }: DrawnForProps): boolean {
    return values.some((value, at) => value !== this.props.values[at]);
  }

  override render({ draw }: DrawnForProps): ComponentChildren {
    return draw();
  }
}
