import { setImmediate as nextTurn } from 'node:timers/promises'
import { ApiError, VerdictUnknownError } from '@attestry/core/errors/apiErrors.ts'
import { decodeStoredPayload } from '@attestry/core/model/decodeStoredPayload.ts'
import { fieldPathText, listFieldLeaves } from '@attestry/core/model/fieldValues.ts'
import type { StoredAttestation, StoredKey } from '@attestry/core/index/storedRecords.ts'
import type { ApiContext } from '@attestry/server/apiContext.ts'
import type { Verdict } from './evaluatePolicy.ts'
import { listOwnHolds, type Policy } from './policy.ts'

type Parts = Pick<ApiContext, 'reader' | 'checkOwnFields' | 'decodePayload'>

/** The members of a verdict that a score follows from. */
export type ScoredVerdict = Pick<Verdict, 'verdict' | 'records'>

/** The records that the subject itself holds: those of attesters are no score of its own. */
function ownRecords({ verdict, records }: ScoredVerdict): ScoredVerdict['records'] {
  return verdict === 'allow' ? records.filter(({ vouches }) => !vouches) : []
}

/** How many records are read at a time. */
const recordsMax = 100

/**
 * The score of each verdict; 0 for denied addresses.
 * @throws BadParameterError if no schema of the policy has the field of the score as a whole number.
 * @throws VerdictUnknownError if a record was reverted meanwhile.
 */
export async function scoreVerdicts(
  parts: Parts,
  { score, term }: Policy,
  verdicts: readonly ScoredVerdict[],
): Promise<readonly bigint[]> {
  if (score.kind !== 'field') {
    return verdicts.map((each) =>
      each.verdict !== 'allow' ? 0n : score.kind === 'count' ? BigInt(ownRecords(each).length) : 1n,
    )
  }
  await checkField(parts, score.path, listOwnHolds(term))
  const counted = verdicts.map(ownRecords)
  const values = await readNumbers(parts, counted.flat(), score.path)
  let next = 0
  return counted.map((records) => {
    const own = values.slice(next, next + records.length)
    next += records.length
    return own.reduce((sum, value) => sum + value, 0n)
  })
}

/** A misspelt field would be a score of 0 for everybody. */
async function checkField(
  { checkOwnFields }: Parts,
  path: readonly string[],
  holds: ReturnType<typeof listOwnHolds>,
): Promise<void> {
  const atLeastZero = { path, operator: 'gte', values: ['0'] } as const
  const checks = await Promise.allSettled(
    holds.map(({ schema }) => checkOwnFields({ schema, protocol: null, fields: [atLeastZero] })),
  )
  const failed = checks.filter((check) => check.status === 'rejected')
  const [first] = failed
  if (first === undefined || failed.length < checks.length) return
  const { reason } = first as { readonly reason: unknown }
  throw reason instanceof ApiError ? reason : new Error('A field was not checked.', { cause: reason })
}

async function readNumbers(
  { reader, decodePayload }: Parts,
  records: readonly StoredKey[],
  path: readonly string[],
): Promise<readonly bigint[]> {
  const text = fieldPathText(path)
  const numberOf = (attestation: StoredAttestation): bigint => {
    const payload = decodeStoredPayload(attestation, decodePayload)
    if (payload.kind === 'undecodable') return 0n
    return listFieldLeaves(payload.values)
      .filter((leaf) => leaf.kind === 'integer' && fieldPathText(leaf.path) === text)
      .reduce((sum, leaf) => sum + BigInt(leaf.value), 0n)
  }
  const numbers: bigint[] = []
  for (let start = 0; start < records.length; start += recordsMax) {
    const keys = records.slice(start, start + recordsMax)
    for (const found of await reader.findAttestations(keys, { detail: true, schema: true })) {
      if (found === null) throw new VerdictUnknownError('A record was reverted meanwhile; ask again.')
      numbers.push(numberOf(found))
    }
    // Strangers may have written the payloads, as long as they like.
    await nextTurn()
  }
  return numbers
}
