import { ProofImpossibleError } from '@attestry/core/errors/apiErrors.ts'
import {
  agentNumber,
  agentProtocol,
  feedbackSchemaId,
  parseAgentId,
  type AgentKey,
} from '@attestry/core/model/agents.ts'
import { formatCompositeId, type ChainId, type RecordKey } from '@attestry/core/model/compositeId.ts'
import { parseAddress, type Address, type Hash } from '@attestry/core/model/hex.ts'
import { detailOf, recipientsOf } from '@attestry/core/model/recordJson.ts'
import { everyAttestation, type AttestationFilter } from '@attestry/core/index/indexQueries.ts'
import type { PastReader } from '@attestry/core/index/indexReader.ts'
import type { StoredAttestation } from '@attestry/core/index/storedRecords.ts'
import type { PlacedClaim, WantedProof } from '../commands/createStateProver.ts'
import { feedbackId, layoutProtocols } from './layouts.ts'
import { findIssuerIndexes } from './issuerIndexes.ts'
import { layoutNames, type Claim, type FeedbackKey, type RecordSays } from './stateProof.ts'

/** Proofs that are made of what the index knows, which then is not part of the proof. */

/** A claim in each place of a protocol on a chain where it may be found. */
export async function placesOf(
  reader: Pick<PastReader, 'listChains'>,
  chainId: ChainId,
  protocol: string,
  placed: Omit<PlacedClaim, 'place'>,
): Promise<readonly PlacedClaim[]> {
  const chains = await reader.listChains()
  const contracts = chains.find(({ status }) => status.chainId === chainId)?.contracts ?? []
  return contracts
    .filter((contract) => contract.protocol === protocol)
    .flatMap(({ address, reputationRegistry }) => {
      const contract = protocol === agentProtocol ? reputationRegistry : address
      const layouts = layoutNames.filter((name) => layoutProtocols[name] === protocol)
      return contract === undefined
        ? []
        : layouts.map((layout) => ({ ...placed, place: { contract, layout } }))
    })
}

/**
 * The state of an attestation.
 * @throws ProofImpossibleError for a validation of ERC-8004, which the registry keeps under another key.
 */
export async function wantedAttestation(
  reader: Pick<PastReader, 'listChains'>,
  stored: StoredAttestation,
): Promise<WantedProof> {
  const { key } = stored
  const feedback = key.protocol === agentProtocol ? feedbackOf(stored) : null
  const id = formatCompositeId(key)
  const claim: Claim = feedback === null ? { kind: 'attestation', id } : { kind: 'attestation', id, feedback }
  return {
    chainId: key.chainId,
    protocol: key.protocol,
    claims: await placesOf(reader, key.chainId, key.protocol, { claim, hints: hintsOf(stored) }),
    key: `attestation ${key.protocol} ${key.localId}`,
    contradiction: ({ says }) => contradictionOf(stored, says as RecordSays),
  }
}

function hintsOf(stored: StoredAttestation): NonNullable<PlacedClaim['hints']> {
  return {
    dataBytes: detailOf(stored.detail).data.length / 2 - 1,
    recipients: recipientsOf(stored).length,
  }
}

function contradictionOf(stored: StoredAttestation, says: RecordSays): string | null {
  if (says.attester !== stored.attester.toLowerCase())
    return 'has another attester of the record than the index'
  if (says.schemaId !== null && says.schemaId !== stored.schemaId) {
    return 'has another schema of the record than the index'
  }
  if (!says.revoked && stored.revocation !== null) {
    return 'is older than the revocation of the record, which the index knows'
  }
  return null
}

/** The key of feedback, whose index is the first word of its payload. */
function feedbackOf(stored: StoredAttestation): FeedbackKey {
  const agent = parseAgentId(recipientsOf(stored).at(-1) ?? '')
  const client = parseAddress(stored.attester)
  const word = detailOf(stored.detail).data.slice(2, 66)
  if (stored.schemaId !== feedbackSchemaId || agent === null || client === null || word === '') {
    throw new ProofImpossibleError(
      'Only feedback of ERC-8004 can be proven by its id; validations are kept under the hash of their request.',
    )
  }
  const key = { agentId: BigInt(agent.subject).toString(), client, index: BigInt(`0x${word}`).toString() }
  if (feedbackId(key) === (stored.key.localId as string)) return key
  throw new TypeError('the id of feedback is the hash of its agent, client and index')
}

/** Revocation and timestamp of an off-chain attestation of EAS. */
export async function wantedAnchor(
  reader: Pick<PastReader, 'listChains' | 'sliceAttestations'>,
  { chainId, account, uid }: { readonly chainId: ChainId; readonly account: Address; readonly uid: Hash },
): Promise<WantedProof> {
  const witness = await findWitness(reader, chainId, 'eas')
  const wanted = { chainId, protocol: 'eas', key: `anchor ${account} ${uid}` }
  if (witness === null) {
    const impossible = `No attestation of EAS is indexed on chain ${chainId}: one is needed to show the layout of the contract.`
    return { ...wanted, claims: [], impossible }
  }
  const claim: Claim = { kind: 'anchor', account, uid, witness: formatCompositeId(witness.key) }
  return { ...wanted, claims: await placesOf(reader, chainId, 'eas', { claim }) }
}

/** The counter of a contract. */
export async function wantedCount(
  reader: Pick<PastReader, 'listChains' | 'sliceAttestations'>,
  chainId: ChainId,
  protocol: 'sign' | 'verax',
): Promise<WantedProof> {
  const witness = protocol === 'verax' ? await findWitness(reader, chainId, protocol) : null
  const claim: Claim = { kind: 'count', witness: witness === null ? null : formatCompositeId(witness.key) }
  return {
    chainId,
    protocol,
    claims: await placesOf(reader, chainId, protocol, { claim }),
    key: `count ${protocol}`,
  }
}

/** The oldest attestation of a protocol on a chain: endpoints that lag have it as well. */
async function findWitness(
  reader: Pick<PastReader, 'sliceAttestations'>,
  chainId: ChainId,
  protocol: string,
): Promise<StoredAttestation | null> {
  const { rows } = await reader.sliceAttestations(
    { filter: { ...everyAttestation, chainId, protocol }, order: 'oldestFirst', after: null, limit: 1 },
    { detail: false, schema: false },
  )
  return rows[0] ?? null
}

type Slices = Pick<PastReader, 'listChains' | 'sliceAttestations'>

/** The complete feedback of an agent, or that of one client. */
export async function wantedReputation(
  reader: Slices,
  { chainId, subject }: AgentKey,
  client: Address | null,
): Promise<WantedProof> {
  const agentId = agentNumber(subject)
  const schema = { chainId, protocol: agentProtocol, localId: feedbackSchemaId }
  const [other] = await findSome(reader, { ...everyAttestation, schema }, 1)
  const feedback = other === undefined ? null : feedbackOf(other)
  const claim = { kind: 'reputation', agentId, client } as const
  const witnesses =
    feedback === null ? [null] : [null, { agentId: feedback.agentId, client: feedback.client }]
  const places = await Promise.all(
    witnesses.map((witness) => placesOf(reader, chainId, agentProtocol, { claim: { ...claim, witness } })),
  )
  return {
    chainId,
    protocol: agentProtocol,
    claims: places.flat(),
    key: `reputation ${agentId} ${client ?? ''}`,
  }
}

export interface AskedHolder {
  readonly address: Address
  readonly schema: RecordKey
  readonly protocol: string
  readonly attester: Address
  /** Unix seconds. */
  readonly now: number
}

/** Whether an address holds an attestation: by the issuer's index on chain if one is known, else by the attestation. */
export async function wantedHolder(reader: Slices, asked: AskedHolder): Promise<WantedProof> {
  const { address, schema, protocol, attester, now } = asked
  const { chainId, localId: schemaId } = schema
  const claim = {
    kind: 'holder',
    address,
    schemaId,
    attester,
    attestation: null,
    index: null,
    witness: null,
  } as const
  const key = `holder ${protocol} ${address} ${schemaId} ${attester}`
  const made = { ...everyAttestation, schema: { ...schema, protocol }, attester }
  const wanted = async (claims: readonly Claim[], hints?: PlacedClaim['hints']): Promise<WantedProof> => {
    const placed = claims.map((each) => (hints === undefined ? { claim: each } : { claim: each, hints }))
    const places = await Promise.all(placed.map((each) => placesOf(reader, chainId, protocol, each)))
    return { chainId, protocol, claims: places.flat(), key }
  }
  const indexes = protocol === 'eas' ? findIssuerIndexes(chainId, attester) : []
  const kept = indexes.find(({ isComplete }) => isComplete)
  const byIndex = async ({ name, contract }: (typeof indexes)[number]) => {
    const others = await findSome(reader, { ...made, revoked: false }, 20)
    // Zero in the index means nothing unless another entry shows the layout.
    const witness = others
      .toReversed()
      .flatMap((stored) => {
        const holder = parseAddress(recipientsOf(stored)[0] ?? '')
        const uid = stored.key.localId as string as Hash
        return holder === null || holder === address ? [] : [{ address: holder, attestation: uid }]
      })
      .at(0)
    const named = { ...claim, index: { name, contract } }
    return await wanted(witness === undefined ? [named] : [named, { ...named, witness }])
  }
  if (kept !== undefined) return await byIndex(kept)
  const filter = { ...made, recipient: { kind: 'address', address } as const, revoked: false, validAt: now }
  const { rows } = await reader.sliceAttestations(
    { filter, order: 'newestFirst', after: null, limit: 1 },
    { detail: true, schema: false },
  )
  const [held] = rows
  if (held !== undefined) {
    return await wanted([{ ...claim, attestation: formatCompositeId(held.key) }], hintsOf(held))
  }
  const [other] = indexes
  if (other !== undefined) return await byIndex(other)
  const impossible =
    'No valid attestation is indexed, and that none exists cannot be proven: the contract keeps no list of holders, ' +
    'and no index on chain of this issuer is known here.'
  return { chainId, protocol, claims: [], key, impossible }
}

/** Some attestations that pass a filter, oldest first, with their payloads. */
async function findSome(
  reader: Slices,
  filter: AttestationFilter,
  limit: number,
): Promise<readonly StoredAttestation[]> {
  const { rows } = await reader.sliceAttestations(
    { filter, order: 'oldestFirst', after: null, limit },
    { detail: true, schema: false },
  )
  return rows
}
