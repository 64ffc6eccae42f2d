/** What the registry knows of a user, a website and a session. Plain values; times in milliseconds of the log. */
export interface User {
  readonly userId: number;
  readonly username: string;
  /** argon2id, in PHC form. */
  readonly passwordHash: string;
  /** Of the dashboard, one of `languages`. */
  readonly language: string;
  /** Features of the tracker, of `scriptTypes`. */
  readonly scriptType: readonly string[];
  readonly createdMs: number;
  readonly updatedMs: number;
}

/** How far an access log was imported: the byte behind the last line, and the SHA-256 (hex) up to there. */
export interface ImportPosition {
  readonly position: number;
  readonly digest: string;
}

export interface Website {
  readonly websiteId: number;
  readonly userId: number;
  readonly hostname: string;
  /** By file: the SHA-256 (hex) of its first line. */
  readonly imports: ReadonlyMap<string, ImportPosition>;
}

export interface Session {
  readonly sessionId: string;
  readonly userId: number;
  /** SHA-256 of the token, hex; the token itself is known to the browser only. */
  readonly tokenHash: string;
  readonly createdMs: number;
  readonly renewedMs: number;
  readonly browser: string;
  readonly os: string;
}

/** How long a session lives after its start or last renewal; also the cookie's `Max-Age`. */
export const sessionLifetimeMs = 30 * 86_400_000;
/** Live sessions of one account; one more ends the one renewed longest ago. Format 1. */
export const sessionsPerUserMax = 100;

export function isLive(session: Session, nowMs: number): boolean {
  return nowMs - session.renewedMs < sessionLifetimeMs;
}
