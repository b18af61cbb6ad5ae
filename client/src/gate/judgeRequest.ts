import type { Client } from '../createClient.ts'
import type { GatePolicy } from '../gate.ts'
import { isSameText, isTooOld, verifyVerdict, type VerdictKeys } from './verifyVerdict.ts'

/** The condition for access to a route. */
export interface GateRule<Request> {
  readonly client: Pick<Client, 'gate' | 'signedGate'>
  /** The name of a policy of the index, or a policy itself. */
  readonly policy: GatePolicy
  /**
   * SHA-256 of the policy that is meant, from `/scan/policies`. Nobody passes by another policy, such as one that the
   * index has under the same name.
   */
  readonly policyHash?: string
  /** Asks for signed verdicts: for an index that is reached through other hands. `policyHash` is needed then. */
  readonly signed?: {
    /** The keys of the index, from a source other than the hands that the verdicts pass through. */
    readonly keys: VerdictKeys
    /** The name of this reader: a verdict that is for another one lets nobody through. */
    readonly audience: string
  }
  /** Greatest age of a judgement, in seconds; 300 by default. */
  readonly maxAgeSeconds?: number
  /**
   * The account that the request was signed in by; null or undefined: none. An address that the request only names, such
   * as a parameter, proves nothing.
   */
  readonly subject: (request: Request) => SubjectOf | Promise<SubjectOf>
}

type SubjectOf = string | null | undefined

/** Whether a request goes on; else the answer to it. */
export type Ruling =
  | { readonly passes: true }
  | { readonly passes: false; readonly status: 401 | 403 | 503; readonly body: RefusalBody }

/** The answer to a refused request. */
export interface RefusalBody {
  readonly message: string
  readonly verdict: 'deny' | 'unknown' | null
  readonly reasons: readonly string[]
}

/**
 * Judges a request: 401 without an account, 403 for `deny`, 503 if the index cannot decide or does not answer. Nothing
 * but `allow` lets a request through.
 */
export async function judgeRequest<Request>(rule: GateRule<Request>, request: Request): Promise<Ruling> {
  const account = await rule.subject(request)
  if (account === null || account === undefined || !/^0x[0-9a-f]{40}$/i.test(account)) {
    return refuse(401, 'Sign in with an account.')
  }
  let verdict: Told
  try {
    verdict = await (rule.signed === undefined ? askPlain(rule, account) : askSigned(rule, account))
  } catch {
    // The message may name the index, or a policy that does not exist there.
    return refuse(503, 'Whether you may pass cannot be found out at the moment; try again later.')
  }
  if (verdict.verdict === 'allow') return { passes: true }
  const { reasons } = verdict
  if (verdict.verdict === 'deny')
    return refuse(403, 'The policy does not let this account through.', 'deny', reasons)
  return refuse(503, 'Whether you may pass is not known at the moment; try again later.', 'unknown', reasons)
}

interface Told {
  readonly verdict: 'allow' | 'deny' | 'unknown'
  readonly reasons: readonly string[]
}

/** @throws TypeError for a verdict that answers another question than the one that was asked. */
async function askPlain<Request>(rule: GateRule<Request>, account: string): Promise<Told> {
  const { client, policy, policyHash, maxAgeSeconds } = rule
  const verdict = await client.gate(policy, account)
  const isMeant = policyHash === undefined || isSameText(verdict.policyHash, policyHash)
  if (!isMeant || !isSameText(verdict.subject, account)) {
    throw new TypeError('The index answered another question than the one that was asked.')
  }
  if (isTooOld(verdict.at, Math.floor(Date.now() / 1_000), maxAgeSeconds)) {
    throw new TypeError('The verdict of the index is too old.')
  }
  return verdict
}

/** @throws VerdictRefusedError */
async function askSigned<Request>(rule: GateRule<Request>, account: string): Promise<Told> {
  const { client, policy, policyHash, signed, maxAgeSeconds } = rule
  if (signed === undefined || policyHash === undefined) {
    throw new TypeError('Signed verdicts are compared with policyHash, which the rule must have.')
  }
  const nonce = crypto.randomUUID()
  const { audience, keys } = signed
  const token = await client.signedGate(policy, account, { audience, nonce })
  const expected = { subject: account, policyHash, audience, nonce, maxAgeSeconds }
  const { verdict } = await verifyVerdict(token, keys, expected)
  return { verdict, reasons: [] }
}

function refuse(
  status: 401 | 403 | 503,
  message: string,
  verdict: RefusalBody['verdict'] = null,
  reasons: readonly string[] = [],
): Ruling {
  return { passes: false, status, body: { message, verdict, reasons } }
}
