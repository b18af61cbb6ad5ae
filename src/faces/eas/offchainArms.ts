import { checksumAddress } from '../../model/checksumAddress.ts'
import { localIdOfUid, parseLocalId, formatCompositeId, type LocalId } from '../../model/compositeId.ts'
import { noBytes, parseHash, parseHex, zeroHash } from '../../model/hex.ts'
import { everyOffchain, type OffchainFilter, type StoredOffchain } from '../../offchainStore/offchainStore.ts'
import { everyAttestation, type AttestationFilter } from '../../store/indexQueries.ts'
import type { RowPlace, StoredAttestation } from '../../store/storedRecords.ts'
import { findOffchainStatus } from '../offchain/presentOffchain.ts'
import type { Condition } from '../protocolGraphql/condition.ts'
import { planAttestations, type AttestationPlan } from '../protocolGraphql/planAttestations.ts'
import type { ReadArm } from '../protocolGraphql/walkArms.ts'
import type { EasContext } from './easContext.ts'
import { easOffchainAttestations } from './planAttestations.ts'

/** An attestation of the store in the form of one of the index. */
export interface OffchainAttestation extends StoredAttestation {
  readonly offchain: StoredOffchain
  readonly place: RowPlace
}

/** Positions of off-chain rows are below those of all blocks: of one second, the rows of the chain are newer. */
const belowPositions = -(2 ** 52)

/** The lists of off-chain attestations whose union holds all that match; none where nothing is stored. */
export async function offchainArms(
  context: EasContext,
  condition: Condition,
): Promise<readonly ReadArm<OffchainAttestation>[]> {
  const { storage } = context
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
    const entries = await storage.store.slice({ filter, order, after: behind, limit })
    const rows = await Promise.all(entries.map((entry) => toAttestation(context, entry)))
    return { rows, hasMore: entries.length === limit, scannedTo: null }
  })
}

/** How many off-chain attestations match, if that is known without reading them; else null. */
export async function countOffchain(context: EasContext, condition: Condition): Promise<number | null> {
  const { storage } = context
  if (storage === null) return 0
  const plan: AttestationPlan = await planAttestations(easOffchainAttestations, context, condition)
  const [first, ...others] = plan.filters
  if (plan.ids.size > 0 || others.length > 0) return null
  if (first === undefined) return 0
  const { filter, isWhole } = offchainFilterOf(context, first)
  return plan.isExact && isWhole ? await storage.store.count(filter) : null
}

/** The off-chain attestation with a uid; null where there is none. */
export async function findOffchainRow(
  context: EasContext,
  localId: LocalId,
): Promise<OffchainAttestation | null> {
  const filter = { ...ofChain(context), localIds: [localId] }
  const found = await context.storage?.store.slice({ filter, order: 'oldestFirst', after: null, limit: 1 })
  const [entry] = found ?? []
  return entry === undefined ? null : await toAttestation(context, entry)
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

async function toAttestation(context: EasContext, entry: StoredOffchain): Promise<OffchainAttestation> {
  const { chainId } = context.chain
  const { body, localId, madeAt, storedAt, schemaId, signer } = entry
  const { revocation } = await findOffchainStatus(context.reader, entry)
  const schema = parseLocalId(schemaId?.slice(schemaId.lastIndexOf('_') + 1) ?? '')
  const linked = parseHash(body.linked)
  return {
    offchain: entry,
    place: { timestamp: madeAt, chainId, position: belowPositions + entry.sequence },
    key: { chainId, protocol: 'eas', localId: localIdOfUid(parseHash(localId) ?? zeroHash) },
    schemaId: schema ?? localIdOfUid(zeroHash),
    attester: checksumAddress(signer),
    attestTimestamp: madeAt,
    recipientsJson: JSON.stringify(body.recipients),
    detail: {
      transactionHash: '',
      indexingValueJson: '""',
      linkedAttestation: linked && localIdOfUid(linked),
      validUntil: body.validUntil,
      data: parseHex(body.payload) ?? noBytes,
      dataLocation: 'ONCHAIN',
    },
    revocation:
      revocation === null
        ? null
        : { timestamp: String(revocation.timestamp), reason: revocation.reason, transactionHash: '' },
    revocable: body.revocable,
    portal: null,
    portalBody: null,
    transactionSender: null,
    syncAt: storedAt,
    lastSyncAt: null,
    schema: null,
  }
}
