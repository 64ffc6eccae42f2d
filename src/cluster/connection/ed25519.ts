/**
 * Signs as the package tweetnacl does, by the system's own Ed25519. The build puts it in the place of that package, which
 * has many other ciphers: the client of NATS signs with it what a server asks, and does nothing else.
 */

const crypto = () => process.getBuiltinModule("node:crypto");
/** The bytes before a seed in the form PKCS #8. */
const prefix = Uint8Array.fromHex("302e020100300506032b657004220420");
const seedBytes = 32;

function keyOf(seed: Uint8Array) {
  return crypto().createPrivateKey({ key: Buffer.concat([prefix, seed]), format: "der", type: "pkcs8" });
}

function fromSeed(seed: Uint8Array) {
  const spki = crypto().createPublicKey(keyOf(seed)).export({ format: "der", type: "spki" });
  const publicKey = new Uint8Array(spki.subarray(-seedBytes));
  return { publicKey, secretKey: new Uint8Array([...seed, ...publicKey]) };
}

/** `secretKey`: the seed and the public key. */
function detached(message: Uint8Array, secretKey: Uint8Array): Uint8Array {
  return new Uint8Array(crypto().sign(null, message, keyOf(secretKey.subarray(0, seedBytes))));
}

export default { sign: { detached, keyPair: { fromSeed } } };
