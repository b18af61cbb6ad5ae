import { formatCompositeId, type LocalId } from '@attestry/core/model/compositeId.ts'
import {
  everyOffchain,
  type OffchainFilter,
  type StoredOffchain,
} from '@attestry/trust/offchainStore/offchainStore.ts'
import { everyAttestation, type AttestationFilter } from '@attestry/core/index/indexQueries.ts'
import type { RowPlace } from '@attestry/core/index/storedRecords.ts'
import { readAsIndexed, type OffchainAttestation } from '@attestry/trust/offchain/offchainAttestation.ts'
import type { Condition } from '../engine/condition.ts'
import { planAttestations, type AttestationPlan } from '../engine/planAttestations.ts'
import type { ReadArm } from '../engine/walkArms.ts'
import type { EasContext } from './easContext.ts'
import { easOffchainAttestations } from './planAttestations.ts'

/** An attestation of the store, with its place among those of the chain. */
export interface OffchainRow extends OffchainAttestation {
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
  const { filters, ids } = await planAttestations(easOffchainAttestations, context, condition)
  const asked = filters.map((filter) => offchainFilterOf(context, filter).filter)
  if (ids.size > 0) asked.push({ ...ofChain(context), localIds: [...ids] })
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
  const plan: AttestationPlan = await planAttestations(easOffchainAttestations, context, condition)
  const [first, ...others] = plan.filters
  if (plan.ids.size > 0 || others.length > 0) return null
  if (first === undefined) return 0
  const { filter, isWhole } = offchainFilterOf(context, first)
  return plan.isExact && isWhole ? await storage.store.count(filter) : null
}

/** The off-chain attestation with a uid; null if the store has no such one. */
export async function findOffchainRow(context: EasContext, localId: LocalId): Promise<OffchainRow | null> {
  const filter = { ...ofChain(context), localIds: [localId] }
  const found = await context
    .askStorage()
    ?.store.slice({ filter, order: 'oldestFirst', after: null, limit: 1 })
  const [entry] = found?.entries ?? []
  return entry === undefined ? null : await toRow(context, entry)
}

function ofChain({ chain }: EasContext): OffchainFilter {
  return { ...everyOffchain, protocol: 'eas', chainId: chain.chainId }
}

/** The members of a filter that the store has too. */
const sharedMembers: readonly (keyof AttestationFilter)[] = [
  ...(['schema', 'attester', 'recipient', 'chainId', 'protocol'] as const),
  ...(['attestedFrom', 'attestedBefore', 'linkedAttestations'] as const),
]

/** The filter of the store that passes all that a filter of the index passes; `isWhole`: and nothing else. */
function offchainFilterOf(
  context: EasContext,
  filter: AttestationFilter,
): { readonly filter: OffchainFilter; readonly isWhole: boolean } {
  const { schema, attester, recipient, attestedFrom, attestedBefore, linkedAttestations } = filter
  const others = { ...filter }
  for (const member of sharedMembers) Object.assign(others, { [member]: everyAttestation[member] })
  return {
    filter: {
      ...ofChain(context),
      schemaId: schema === null ? null : formatCompositeId(schema),
      signer: attester,
      recipient,
      linked: linkedAttestations?.map(({ localId }) => localId) ?? null,
      madeFrom: attestedFrom,
      madeBefore: attestedBefore,
    },
    isWhole: JSON.stringify(others) === JSON.stringify(everyAttestation),
  }
}

async function toRow(
  { reader, chain: { chainId } }: EasContext,
  entry: StoredOffchain,
): Promise<OffchainRow> {
  const place = { timestamp: entry.madeAt, chainId, position: belowPositions + entry.sequence }
  return { ...(await readAsIndexed(reader, chainId, entry)), place }
}
