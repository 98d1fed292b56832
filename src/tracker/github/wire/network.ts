import { ProxyError } from "../../../errors.ts";

/** Why a request has no usable answer. Only `unsent` is certain to have had no effect. */
export type FailureKind =
  | "unsent" // refused, name not found, TLS failure: nothing left this machine
  | "timeout" // no complete answer within the deadline
  | "aborted" // the caller's signal ended it
  | "oversized" // the body passed the limit
  | "lost"; // reset, closed, or anything else after sending may have begun

/**
 * A request without a usable answer. The message is made of our words and an error code, and there is no cause: undici
 * quotes a header that it can't send, and that may be the token.
 */
export class TransportFailure extends Error {
  override readonly name = "TransportFailure";
  readonly kind: FailureKind;
  /** A proxy did not let it through. */
  readonly isOfProxy: boolean;

  constructor(kind: FailureKind, message: string, isOfProxy = false) {
    super(message);
    this.kind = kind;
    this.isOfProxy = isOfProxy;
  }
}

/**
 * Codes that only a name lookup, a connect or a TLS handshake gives, so that not a byte of HTTP was sent. Codes that may
 * also come later on an open connection (ECONNRESET, EPROTO, most of ERR_SSL_) are left out on purpose.
 */
const unsentCodes: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EAI_FAIL",
  "EAI_NODATA",
  "EAI_NONAME",
  "UND_ERR_CONNECT_TIMEOUT",
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "CERT_REVOKED",
  "CERT_SIGNATURE_FAILURE",
  "CERT_UNTRUSTED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "ERR_SSL_WRONG_VERSION_NUMBER",
  "ERR_SSL_PACKET_LENGTH_TOO_LONG",
  "ERR_SSL_UNSUPPORTED_PROTOCOL",
  "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION",
  "ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE",
]);

const causeDepthLimit = 10;

/** Turns what a fetch threw into a failure, by the codes in its chain of causes. */
export function describeNetworkError(error: unknown): TransportFailure {
  if (error instanceof ProxyError) {
    if (error.isToBlame) return new TransportFailure("unsent", error.message, true);
    const { kind, message } = describeNetworkError(error.cause);
    return new TransportFailure(kind, `${message}, on the way through ${error.message}`);
  }
  const codes: string[] = [];
  let link: unknown = error;
  for (let depth = 0; depth < causeDepthLimit && link instanceof Error; depth += 1) {
    // Whatever failed in the system call `connect` failed before a request was written.
    if ("syscall" in link && link.syscall === "connect") codes.push("ECONNREFUSED");
    const code = readCode(link);
    if (code !== undefined) codes.push(code);
    link = link.cause;
  }
  const shown = codes.at(-1) ?? "no code";
  return codes.some((code) => unsentCodes.has(code))
    ? new TransportFailure("unsent", `no connection could be made (${shown})`)
    : new TransportFailure("lost", `the connection broke (${shown})`);
}

function readCode(error: Error): string | undefined {
  return "code" in error && typeof error.code === "string" && /^\w{1,60}$/.test(error.code)
    ? error.code
    : undefined;
}
