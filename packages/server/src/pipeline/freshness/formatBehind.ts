import { NotFoundError } from '@attestry/core/errors/apiErrors.ts'
import type { Question } from '../asOf/openView.ts'
import type { BehindChain } from './createFreshness.ts'

/** Most chains that one answer names: proxies refuse long headers, and a request may name thousands of chains. */
const chainsMax = 64

/** Chains that are behind, each as `<chainId>:<indexedBlock>:<headBlock>`; `...` stands for the rest of very many. */
export function listBehind(behind: readonly BehindChain[]): readonly string[] {
  const listed = behind
    .slice(0, chainsMax)
    .map((chain) => `${chain.chainId}:${chain.indexedBlock ?? 'none'}:${chain.headBlock ?? 'none'}`)
  return behind.length > chainsMax ? [...listed, '...'] : listed
}

/** The value of the header; null if no chain is behind. */
export function formatBehind(behind: readonly BehindChain[]): string | null {
  return behind.length === 0 ? null : listBehind(behind).join(', ')
}

/** Most reasons in a message. */
const reasonsMax = 5

/** Why an answer may lack records, in sentences; null if no chain is behind. */
export function explainBehind(behind: readonly BehindChain[]): string | null {
  if (behind.length === 0) return null
  const reasons = behind.slice(0, reasonsMax).map(({ reason }) => reason)
  const more = behind.length - reasons.length
  return [...reasons, ...(more > 0 ? [`${more} further chains are behind.`] : [])].join(' ')
}

/**
 * The error of a record that is not indexed says so where the index is behind; other errors stay as they are.
 * @param about what was asked; null: everything, now.
 */
export function withBehind(error: unknown, behind: readonly BehindChain[], about: Question | null): unknown {
  const reasons = explainBehind(behind)
  if (!(error instanceof NotFoundError) || !error.mayCome || reasons === null) return error
  const isPast = about !== null && about.asOf !== null
  const message = isPast ? error.message : `${error.message} It may exist nevertheless: ${reasons}`
  return new NotFoundError(message, {
    cause: error,
    behind: formatBehind(behind),
  })
}
