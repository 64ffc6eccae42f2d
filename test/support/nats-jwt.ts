/** Accounts of NATS as an operator signs them, so that a server asks for a credentials file and takes this one alone. */
import { createAccount, createOperator, createUser, type KeyPair } from "@nats-io/nkeys";

export interface SignedAccounts {
  /** Lines of the servers' configuration. */
  readonly lines: readonly string[];
  /** The text of a credentials file. */
  readonly credentials: string;
}

const unlimited = { subs: -1, data: -1, payload: -1 };
const ofAccount = {
  ...unlimited,
  imports: -1,
  exports: -1,
  wildcards: true,
  conn: -1,
  leaf: -1,
  mem_storage: -1,
  disk_storage: -1,
  streams: -1,
  consumer: -1,
};

/** Makes an operator, an account of the system, one with a stream, and a user of it. */
export function signedAccounts(): SignedAccounts {
  const [operator, system, account, user] = [
    createOperator(),
    createAccount(),
    createAccount(),
    createUser(),
  ];
  const [ownKey, systemKey, accountKey] = [operator, system, account].map((key) => key.getPublicKey());
  const accounts = [
    [
      systemKey,
      jwt(operator, system, "account", { limits: { ...ofAccount, disk_storage: 0, mem_storage: 0 } }),
    ],
    [accountKey, jwt(operator, account, "account", { limits: ofAccount })],
  ];
  const seed = new TextDecoder().decode(user.getSeed());
  const userJwt = jwt(account, user, "user", unlimited);
  return {
    lines: [
      `operator: "${jwt(operator, operator, "operator", {})}"`,
      `system_account: ${systemKey}`,
      "resolver: MEMORY",
      `resolver_preload { ${accounts.map(([key, text]) => `${key}: "${text}"`).join(", ")} }`,
    ],
    credentials: [
      ...section("NATS USER JWT", userJwt),
      ...section("USER NKEY SEED", seed),
      `# by ${ownKey}`,
    ].join("\n"),
  };
}

function section(name: string, text: string): string[] {
  return [`-----BEGIN ${name}-----`, text, `------END ${name}------`, ""];
}

/** The form of a claim is that of NATS: https://docs.nats.io/running-a-nats-service/configuration/securing_nats/auth_intro/jwt */
function jwt(by: KeyPair, of: KeyPair, type: string, claims: object): string {
  const id = of.getPublicKey();
  const claim = { jti: id, iat: 1, iss: by.getPublicKey(), name: type, sub: id };
  const parts = [
    { typ: "JWT", alg: "ed25519-nkey" },
    { ...claim, nats: { ...claims, type, version: 2 } },
  ];
  const text = parts.map((part) => base64Url(new TextEncoder().encode(JSON.stringify(part)))).join(".");
  return `${text}.${base64Url(by.sign(new TextEncoder().encode(text)))}`;
}

function base64Url(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}
