/** Puts the dashboard into the page. */
import { render } from "preact";
import { App } from "./app.tsx";

render(<App />, document.getElementById("app") as HTMLElement);
