import type { LocalId } from '@attestry/core/model/compositeId.ts'
import { parseAddress, parseHash, zeroAddress, zeroHash } from '@attestry/core/model/hex.ts'
import { everySchema, type AttestationFilter } from '@attestry/core/index/indexQueries.ts'
import type { RowPlace } from '@attestry/core/index/storedRecords.ts'
import { walkSlices } from '@attestry/server/records/slices.ts'
import { boundsOf } from '../engine/alternatives.ts'
import type { FieldCondition, FieldValue } from '../engine/condition.ts'
import {
  addressPart,
  attestationRules,
  flagPart,
  localIdOf,
  schemaPart,
  type ReadRules,
} from '../engine/planReads.ts'
import { keyOf } from '../engine/readByIds.ts'
import type { EasContext } from './easContext.ts'
import { listNeedleConditions } from './needleConditions.ts'

/** The largest 32-bit integer, to which later times are clamped. */
export const intMax = 2 ** 31 - 1

/** Narrows reads by the fields of attestations. */
export const easAttestations: ReadRules<EasContext, AttestationFilter> = {
  ...attestationRules,
  fields: {
    schemaId: schemaPart,
    attester: addressPart('attester'),
    recipient: (_context, value) => recipientPart(value),
    refUID: (context, value) => {
      const localId = localIdOf(value)
      return localId && { linkedAttestations: [keyOf(context, localId)] }
    },
    revoked: flagPart('revoked'),
  },
  // No recipient and no reference are shown as zeros.
  absent: { recipient: zeroAddress, refUID: zeroHash },
  constants: { isOffchain: false, ipfsHash: '' },
  times: [
    { fields: ['time', 'timeCreated'], from: 'attestedFrom', before: 'attestedBefore' },
    { fields: ['revocationTime'], from: 'revokedFrom', before: 'revokedBefore', none: 0, latest: intMax },
  ],
  findIds: findByTransactions,
  narrow: async (context, tests, filters) => {
    const narrowed: AttestationFilter[] = []
    for (const filter of await underSchemas(context, tests, filters)) {
      const hasNeedle = filter.schema !== null && tests.some(({ field }) => field === 'decodedDataJson')
      const schema = hasNeedle ? await context.schemas.load(filter.schema.localId) : null
      const fields = listNeedleConditions(tests, schema, context.protocol)
      narrowed.push({ ...filter, fields })
      if (fields.length === 0) continue
      const { lenientField } = context.protocol
      narrowed.push({ ...filter, fields: [{ path: [lenientField], operator: 'equals', values: ['true'] }] })
    }
    return narrowed
  },
}

export function recipientPart(value: FieldValue): Pick<AttestationFilter, 'recipient'> | null {
  const address = parseAddress(String(value))
  return address && { recipient: { kind: 'address', address } }
}

/** The filters under the schemas that can print a text, where the tests ask for the whole text and for no schema. */
async function underSchemas(
  context: EasContext,
  tests: readonly FieldCondition[],
  filters: readonly AttestationFilter[],
): Promise<readonly AttestationFilter[]> {
  const [only, ...others] = filters
  if (only === undefined || others.length > 0 || only.schema !== null) return filters
  const schemas = await findPrintingSchemas(context, tests)
  return schemas?.map((id) => ({ ...only, schema: keyOf(context, id) })) ?? filters
}

/** Most transactions that a condition names and that are looked up. */
const transactionsMax = 100

/** The attestations that transactions made; null if the tests name none, or too many. */
async function findByTransactions(
  { reader, chain }: EasContext,
  tests: readonly FieldCondition[],
): Promise<readonly LocalId[] | null> {
  const { values } = boundsOf(tests, ['txid'])
  if (values === null || values.size > transactionsMax) return null
  const hashes = [...values].map((value) => parseHash(String(value))).filter((hash) => hash !== null)
  const found = await Promise.all(hashes.map((hash) => reader.findTransaction(hash, chain.chainId)))
  return found.flatMap((transaction) => transaction?.attestations.map(({ key }) => key.localId) ?? [])
}

/** Most schemas that attestations are then looked for under. */
const schemasMax = 100

/**
 * The schemas with fields of the names in the whole text that a test asks for: only under these can `decodedDataJson` be
 * that text. Null if no test asks for a text with names, or if there are too many such schemas.
 */
async function findPrintingSchemas(
  context: EasContext,
  tests: readonly FieldCondition[],
): Promise<readonly LocalId[] | null> {
  const { reader, chain, protocol, budget } = context
  const names = tests.map(namesOf).find((each) => each !== null)
  if (names === undefined) return null
  const found: LocalId[] = []
  const filter = { ...everySchema, chainId: chain.chainId, protocol: protocol.name }
  const slice = (after: RowPlace | null, limit: number) =>
    reader.sliceSchemas({ filter, order: 'newestFirst', after, limit })
  for await (const rows of walkSlices(slice)) {
    await budget.readRows(rows)
    for (const { key, rawText } of rows) {
      if (JSON.stringify(protocol.printedNames(rawText)) === names) found.push(key.localId)
    }
    if (found.length > schemasMax) return null
  }
  return found
}

/** The names of the fields in the one text that a test asks for, as JSON; null if it asks for none, or for any. */
function namesOf({ field, test }: FieldCondition): string | null {
  if (field !== 'decodedDataJson' || test.kind !== 'in' || test.folds || test.values.size !== 1) return null
  try {
    const items = JSON.parse(String([...test.values][0])) as unknown
    if (!Array.isArray(items)) return null
    return JSON.stringify(items.map((item: { readonly name?: unknown } | null) => item?.name ?? ''))
  } catch {
    return null
  }
}
