import { formatCompositeId, type LocalId } from '@attestry/core/model/compositeId.ts'
import {
  everyOffchain,
  type OffchainFilter,
  type StoredOffchain,
} from '@attestry/trust/offchainStore/offchainStore.ts'
import type { RowPlace } from '@attestry/core/index/storedRecords.ts'
import { readAsIndexed, type IndexedOffchain } from '@attestry/trust/offchain/offchainAttestation.ts'
import { isEverything, type Condition } from '../engine/condition.ts'
import {
  addressPart,
  attestationRules,
  localIdOf,
  planReads,
  schemaPart,
  type ReadRules,
} from '../engine/planReads.ts'
import type { ReadArm } from '../engine/walkArms.ts'
import type { EasContext } from './easContext.ts'
import { easAttestations, recipientPart } from './planAttestations.ts'

/** An attestation of the store, with its place among those of the chain. */
export interface OffchainRow extends IndexedOffchain {
  readonly place: RowPlace
}

/** Positions of off-chain rows are below those of all blocks: of one second, the rows of the chain are newer. */
const belowPositions = -(2 ** 52)

/** The lists of off-chain attestations whose union holds all that match; none where nothing is stored. */
export async function offchainArms(
  context: EasContext,
  condition: Condition,
): Promise<readonly ReadArm<OffchainRow>[]> {
  const storage = context.askStorage()
  if (storage === null) return []
  const { filters, ids } = await planReads(easOffchain, context, condition)
  const asked = ids.size === 0 ? filters : [...filters, { ...everyOfChain(context), localIds: [...ids] }]
  return asked.map((filter) => async (order, after, limit) => {
    const behind = after && {
      madeAt: after.timestamp,
      // Behind a row of the chain, newest first, all off-chain rows of its second follow; oldest first, none does.
      sequence: after.position < 0 ? after.position - belowPositions : Number.MAX_SAFE_INTEGER,
    }
    const { entries, isCut } = await storage.store.slice({ filter, order, after: behind, limit })
    const rows = await Promise.all(entries.map((entry) => toRow(context, entry)))
    return { rows, hasMore: isCut || entries.length === limit, scannedTo: null }
  })
}

/** How many off-chain attestations match, if that is known without reading them; else null. */
export async function countOffchain(context: EasContext, condition: Condition): Promise<number | null> {
  const storage = context.askStorage()
  if (storage === null) return 0
  const { filters, rest } = await planReads(easOffchain, context, condition)
  const [filter, ...others] = filters
  if (!isEverything(rest) || others.length > 0) return null
  return filter === undefined ? 0 : await storage.store.count(filter)
}

/** The off-chain attestation with a uid; null if the store has no such one. */
export async function findOffchainRow(context: EasContext, localId: LocalId): Promise<OffchainRow | null> {
  const filter = { ...everyOfChain(context), localIds: [localId] }
  const found = await context
    .askStorage()
    ?.store.slice({ filter, order: 'oldestFirst', after: null, limit: 1 })
  const [entry] = found?.entries ?? []
  return entry === undefined ? null : await toRow(context, entry)
}

function everyOfChain({ chain }: EasContext): OffchainFilter {
  return { ...everyOffchain, protocol: 'eas', chainId: chain.chainId }
}

/** Narrows reads of the store by the fields of attestations. The chain knows no transaction of them. */
const easOffchain: ReadRules<EasContext, OffchainFilter> = {
  every: everyOfChain,
  idOf: attestationRules.idOf,
  fields: {
    schemaId: (context, value) => {
      const { schema } = schemaPart(context, value) ?? {}
      return schema == null ? null : { schemaId: formatCompositeId(schema) }
    },
    attester: addressPart('signer'),
    recipient: (_context, value) => recipientPart(value),
    refUID: (_context, value) => {
      const localId = localIdOf(value)
      return localId && { linked: [localId] }
    },
  },
  absent: easAttestations.absent ?? {},
  constants: { isOffchain: true, txid: '' },
  times: [{ fields: ['time', 'timeCreated'], from: 'madeFrom', before: 'madeBefore' }],
}

async function toRow(
  { reader, chain: { chainId } }: EasContext,
  entry: StoredOffchain,
): Promise<OffchainRow> {
  const place = { timestamp: entry.madeAt, chainId, position: belowPositions + entry.sequence }
  return { ...(await readAsIndexed(reader, chainId, entry)), place }
}
