/** Why nothing is made of a delivery: what is answered, to whoever looks at the webhook on GitHub, and what is said in the log. */
export const refusals = {
  off: {
    code: 404,
    status: "not found",
    why: "The receiver of webhooks is off: set GITHUB_WEBHOOK_SECRET to switch it on.",
    said: "A webhook came, and the receiver is off: set GITHUB_WEBHOOK_SECRET to switch it on",
  },
  unsigned: {
    code: 401,
    status: "unauthorized",
    why: "There is no signature (X-Hub-Signature-256): give the webhook on GitHub the secret that GITHUB_WEBHOOK_SECRET holds.",
    said: "A webhook without a signature was refused: it has no secret on GitHub",
  },
  signature: {
    code: 401,
    status: "unauthorized",
    why: "The signature doesn't match: the webhook's secret on GitHub must be GITHUB_WEBHOOK_SECRET.",
    said: "A webhook with a wrong signature was refused",
  },
  type: {
    code: 415,
    status: "unsupported media type",
    why: "The content type must be application/json or application/x-www-form-urlencoded.",
    said: "A webhook of another content type than JSON or a form was refused",
  },
  size: {
    code: 413,
    status: "payload too large",
    why: "The delivery is too large: no event that is asked for is.",
    said: "A webhook that is too large was refused",
  },
  busy: {
    code: 503,
    status: "busy",
    why: "Too many deliveries at a time.",
    said: "A webhook was refused because too many came at a time",
  },
  incomplete: {
    code: 408,
    status: "request timeout",
    why: "The delivery did not arrive whole within 10 s.",
    said: "A webhook did not arrive whole in time",
  },
  payload: {
    code: 400,
    status: "bad request",
    why: "The form has no field `payload`.",
    said: "A webhook without `payload` in its form was refused",
  },
  unreadable: {
    code: 400,
    status: "bad request",
    why: "This is no delivery of GitHub: it is no JSON object.",
    said: "A webhook that is no JSON object was refused",
  },
  unnamed: {
    code: 400,
    status: "bad request",
    why: "This is no delivery of GitHub: no header names its event.",
    said: "A webhook that names no event was refused",
  },
  event: {
    code: 202,
    status: "ignored",
    why: undefined,
    said: "A webhook was ignored: nothing of its event is looked at",
  },
} as const;

export type RefusalReason = keyof typeof refusals;

/** All of them, for counters that begin with 0. */
export const refusalReasons = Object.keys(refusals) as readonly RefusalReason[];
