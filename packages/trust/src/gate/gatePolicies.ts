import { BadParameterError, NotFoundError } from '@attestry/core/errors/apiErrors.ts'
import { quoteInput } from '@attestry/server/pipeline/quoteInput.ts'
import { parsePolicies, parsePolicy } from './parsePolicy.ts'
import { PolicyMistakes } from './policyMistakes.ts'
import type { Policy } from './policy.ts'

/** The policies of a configuration. */
export interface GatePolicies {
  /** As they stand in the file: policies of requests may name them. */
  readonly written: Readonly<Record<string, unknown>>
  readonly named: ReadonlyMap<string, Policy>
  /** Whether a request may bring a policy of its own. */
  readonly allowsInline: boolean
  /** Whether verdicts of such policies are signed too. */
  readonly signsInline: boolean
}

/**
 * The policies that a configuration holds.
 * @throws PolicyMistakes
 */
export function createPolicies(
  written: GatePolicies['written'],
  allowsInline: boolean,
  signsInline = false,
): GatePolicies {
  return { written, named: parsePolicies(written), allowsInline, signsInline }
}

/** @throws NotFoundError */
export function findPolicy({ named }: GatePolicies, name: string): Policy {
  const policy = named.get(name)
  if (policy !== undefined) return policy
  const there =
    named.size === 0 ? 'this server has none' : `the policies here are ${[...named.keys()].join(', ')}`
  throw new NotFoundError(`There is no policy ${quoteInput(name)}; ${there}.`, { mayCome: false })
}

/**
 * The policy of a request: the name of one, or a policy itself.
 * @throws BadParameterError, NotFoundError
 */
export function readPolicy(policies: GatePolicies, value: unknown): Policy {
  if (typeof value === 'string') return findPolicy(policies, value)
  if (!policies.allowsInline) {
    throw new BadParameterError('policy must be the name of a policy: this server evaluates no others.')
  }
  try {
    return parsePolicy(value, policies.written)
  } catch (error) {
    if (!(error instanceof PolicyMistakes)) throw error
    throw new BadParameterError(`${error.message}.`)
  }
}
