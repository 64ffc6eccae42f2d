/** nginx in front of a server, with room for many slow connections. It passes a request on once all of it has come. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { withFolder } from "../support/folder.ts";
import { proxies } from "../support/proxies.ts";
import { quietPort } from "../support/quiet-port.ts";
import { until } from "../support/until.ts";

const configuration = (folder: string, port: number, server: number) => `
daemon off;
pid ${folder}/pid;
error_log ${folder}/error.log;
worker_rlimit_nofile 65536;
events { worker_connections 32768; }
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  client_header_timeout 10s;
  client_body_timeout 10s;
  upstream footfall { server 127.0.0.1:${server}; keepalive 64; keepalive_timeout 8s; }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location / {
      proxy_pass http://footfall;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $remote_addr;
    }
  }
}
`;

/** Calls `use` with the port of an nginx in front of a server; resolves to undefined where there is no nginx. */
export async function withNginx<T>(
  server: number,
  use: (port: number) => Promise<T>,
): Promise<T | undefined> {
  const { program } = proxies.nginx;
  if (program === null) return undefined;
  return withFolder(async (folder) => {
    const port = quietPort();
    const path = join(folder, "nginx.conf");
    writeFileSync(path, configuration(folder, port, server));
    const child = Bun.spawn([program, "-c", path], { stdio: ["ignore", "ignore", "inherit"] });
    const answers = () =>
      fetch(`http://127.0.0.1:${port}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      );
    try {
      await until(answers, "nginx answers");
      return await use(port);
    } finally {
      child.kill();
      await child.exited;
    }
  });
}
