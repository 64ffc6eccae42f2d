/**
 * Turns every error into an answer, and nothing else does: a Refusal as it says, an unknown path or method as 404, and
 * anything else as a 500 that tells the operator everything and the client nothing.
 */
import { Type } from "@sinclair/typebox";
import { Refusal, noEndpoint, shown } from "../../core/refusal.ts";
import type { Logger } from "../../lib/log.ts";
import { named } from "../parsing/schemas.ts";

export const errorSchema = named(
  "Error",
  Type.Object(
    {
      error: Type.Object(
        {
          code: Type.Integer({ format: "int32", minimum: 400, maximum: 599, description: "The HTTP status" }),
          message: Type.String(),
        },
        { additionalProperties: false },
      ),
    },
    { additionalProperties: false },
  ),
);

/** The method and path of a request, without its query. */
export interface Asked {
  readonly method: string;
  readonly path: string;
}

export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function errorAnswer(error: unknown, request: Asked, logger: Logger): ErrorAnswer {
  const { code, message, retryAfterS } = refusalOf(error, request, logger);
  const headers = { "content-type": "application/json", "cache-control": "no-store" };
  return {
    status: code,
    headers: retryAfterS === undefined ? headers : { ...headers, "retry-after": String(retryAfterS) },
    body: JSON.stringify({ error: { code, message } }),
  };
}

/** Returns what the client is told of an error. */
export function refusalOf(error: unknown, request: Asked, logger: Logger): Refusal {
  return error instanceof Refusal ? error : unexpected(error, request, logger);
}

export function unknownEndpoint(method: string, path: string): Refusal {
  return new Refusal(404, `${noEndpoint} ${method} ${shown(path)}`);
}

function unexpected(error: unknown, { method, path }: Asked, logger: Logger): Refusal {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  logger.error("a request failed", { method, path, error: stack });
  return new Refusal(500, "something went wrong in the server");
}
