import type { Client } from '../createClient.ts'
import type { GatePolicy, Verdict } from '../gate.ts'

/** Who is let through to a route. */
export interface GateRule<Request> {
  readonly client: Pick<Client, 'gate'>
  /** The name of a policy of the index, or a policy itself. */
  readonly policy: GatePolicy
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

/** What a request that is not let through is answered. */
export interface RefusalBody {
  readonly message: string
  readonly verdict: 'deny' | 'unknown' | null
  readonly reasons: readonly string[]
}

/**
 * Judges a request: 401 without an account, 403 for `deny`, 503 where the index cannot say or does not answer. Nothing but
 * `allow` lets a request through.
 */
export async function judgeRequest<Request>(
  { client, policy, subject }: GateRule<Request>,
  request: Request,
): Promise<Ruling> {
  const account = await subject(request)
  if (account === null || account === undefined || !/^0x[0-9a-f]{40}$/i.test(account)) {
    return refuse(401, 'Sign in with an account.')
  }
  let verdict: Verdict
  try {
    verdict = await client.gate(policy, account)
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

function refuse(
  status: 401 | 403 | 503,
  message: string,
  verdict: RefusalBody['verdict'] = null,
  reasons: readonly string[] = [],
): Ruling {
  return { passes: false, status, body: { message, verdict, reasons } }
}
