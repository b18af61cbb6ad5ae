import { parseCompositeId, type LocalId } from '@attestry/core/model/compositeId.ts'
import type { Address, Hash } from '@attestry/core/model/hex.ts'
import {
  checkWitness,
  elementSlots,
  feedbackSlot,
  layoutProtocols,
  layoutSlots,
  numberId,
  readRecord,
  timeOf,
  type RecordHints,
} from './layouts.ts'
import { Unfit, type State } from './state.ts'
import type {
  AnchorSays,
  Claim,
  CountSays,
  HolderSays,
  IndexName,
  LayoutName,
  ProvenContract,
  ProvenFeedback,
  RecordSays,
  ReputationSays,
  Says,
  StateTime,
} from './stateProof.ts'
import { addressOf, isZeroWord, mapSlot, memberOf, wordOf } from './words.ts'

/** The contract of the records and its layout. */
export interface ClaimPlace {
  readonly contract: Address
  readonly layout: LayoutName
}

export interface ClaimAnswer {
  readonly says: Says
  readonly slots: Readonly<Record<string, Hash>>
  readonly contracts: readonly ProvenContract[]
}

/** The slot of a proxy's implementation (EIP-1967). */
export const implementationSlot = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc' as Hash
/** The hash of no code. */
export const noCode = '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470' as Hash

/** Most feedback of one proof: each takes a word of the 1,024 that nodes prove at once. */
export const feedbackMax = 900
/** Most entries of an index on chain that are looked at. */
const entriesMax = 16

/**
 * Reads a claim from a state. Prover and verifier call the same function: a proof holds exactly the parts of the
 * state that this function reads.
 * @throws Missing for a part that is not proven; Unfit if the layout is not that of the contract.
 */
export function readClaim(
  state: State,
  place: ClaimPlace,
  claim: Claim,
  hints: RecordHints = {},
): ClaimAnswer {
  const read: Address[] = []
  const noting: State = {
    ...state,
    words: (contract, slots) => {
      if (!read.includes(contract)) {
        read.push(contract)
        state.expect(contract, [implementationSlot])
      }
      return state.words(contract, slots)
    },
  }
  const says = readSays(noting, place, claim, hints)
  return {
    says,
    slots: slotsOf(place, claim),
    contracts: read.map((contract) => readContract(state, contract)),
  }
}

function readContract(state: State, address: Address): ProvenContract {
  const codeHash = state.codeHash(address)
  if (codeHash === noCode) throw new Unfit(`there is no contract at ${address}`)
  const [word = implementationSlot] = state.words(address, [implementationSlot])
  const target = addressOf(word)
  return {
    address,
    codeHash,
    implementation: isZeroWord(word) ? null : { address: target, codeHash: state.codeHash(target) },
  }
}

function readSays(state: State, place: ClaimPlace, claim: Claim, hints: RecordHints): Says {
  switch (claim.kind) {
    case 'attestation': {
      const { feedback } = claim
      const key = { ...place, localId: localIdOf(claim.id) }
      return readRecord(state, feedback === undefined ? key : { ...key, feedback }, hints)
    }
    case 'anchor':
      return readAnchor(state, place, claim)
    case 'count':
      return readCount(state, place, claim)
    case 'reputation':
      return readReputation(state, place, claim)
    case 'holder':
      return claim.index === null ? readHolder(state, place, claim, hints) : readIndexed(state, place, claim)
  }
}

/** The variables that the claim is read from. */
function slotsOf({ layout }: ClaimPlace, claim: Claim): Readonly<Record<string, Hash>> {
  return claim.kind === 'holder' && claim.index !== null
    ? { [claim.index.name]: indexSlots[claim.index.name], ...layoutSlots[layout] }
    : layoutSlots[layout]
}

function readAnchor(state: State, place: ClaimPlace, claim: Claim & { kind: 'anchor' }): AnchorSays {
  const { contract, layout } = place
  if (layoutProtocols[layout] !== 'eas') throw new Unfit('only contracts of EAS keep such anchors')
  const { timestamps, offchainRevocations } = layoutSlots[layout as 'eas-1.2']
  const stamped = mapSlot(claim.uid, timestamps)
  const revocation = mapSlot(claim.uid, mapSlot(claim.account, offchainRevocations))
  state.expect(contract, [stamped, revocation])
  checkWitness(state, { ...place, localId: localIdOf(claim.witness) })
  const [stampedAt = stamped, revokedAt = revocation] = state.words(contract, [stamped, revocation])
  return {
    revoked: !isZeroWord(revokedAt),
    revokedAt: timeOf(memberOf(revokedAt, 0, 8)),
    timestampedAt: timeOf(memberOf(stampedAt, 0, 8)),
  }
}

function readCount(state: State, place: ClaimPlace, { witness }: Claim & { kind: 'count' }): CountSays {
  const { contract, layout } = place
  if (layout === 'verax') {
    const { counters } = layoutSlots.verax
    state.expect(contract, [counters])
    if (witness !== null) checkWitness(state, { ...place, localId: localIdOf(witness) })
    const [word = counters] = state.words(contract, [counters])
    const count = memberOf(word, 22, 4)
    // A contract that has a record has counted it; without one, its router has been set at least.
    const isCounter =
      witness === null ? memberOf(word, 0, 20) !== 0n : BigInt(localIdOf(witness)) % 2n ** 32n <= count
    if (!isCounter) throw new Unfit('the counter of the layout verax does not reach a record of the contract')
    return { attestations: count.toString(), lastId: null }
  }
  if (layout !== 'sign-1.1' && layout !== 'sign-1.0') throw new Unfit(`the layout ${layout} has no counter`)
  if (witness !== null) throw new Unfit('a counter of Sign Protocol needs no witness')
  const { counters } = layoutSlots[layout]
  const [word = counters] = state.words(contract, [counters])
  const next = layout === 'sign-1.1' ? memberOf(word, 8, 8) : BigInt(word)
  // In the other layout, the same word has 0 in its place or a number beyond a uint64.
  if (next === 0n || next >= 2n ** 64n)
    throw new Unfit(`the counter is not where the layout ${layout} has it`)
  const first = layout === 'sign-1.1' ? memberOf(word, 24, 8) : null
  return {
    attestations: first === null ? null : (next - first).toString(),
    lastId: first !== null && next === first ? null : numberId(next - 1n),
  }
}

function readReputation(
  state: State,
  { contract, layout }: ClaimPlace,
  { agentId, client, witness }: Claim & { kind: 'reputation' },
): ReputationSays {
  if (layout !== 'erc8004') throw new Unfit(`the layout ${layout} has no reputation`)
  const clients = client === null ? readClients(state, contract, agentId) : [client]
  const lastSlots = clients.map((each) => feedbackSlot('lastIndex', agentId, each))
  const counts = state.words(contract, lastSlots).map((word) => BigInt(word))
  const total = counts.reduce((sum, count) => sum + count, 0n)
  if (total + BigInt(clients.length) > BigInt(feedbackMax)) {
    throw new Unfit(`one proof holds at most ${feedbackMax} feedbacks; ask for one client at a time`)
  }
  if (total === 0n) {
    if (witness === null) throw new Unfit('nothing shows that the contract has the layout erc8004')
    const slot = feedbackSlot('lastIndex', witness.agentId, witness.client)
    const [last = slot] = state.words(contract, [slot])
    if (isZeroWord(last)) throw new Unfit('the witness of the claim has no feedback')
  } else if (witness !== null) throw new Unfit('the claim needs no witness')
  const slots = clients.flatMap((each, place) => {
    const map = feedbackSlot('feedback', agentId, each)
    return Array.from({ length: Number(counts[place]) }, (_, index) => mapSlot(BigInt(index + 1), map))
  })
  const words = [...state.words(contract, slots)]
  const read = clients.map((each, place) => ({
    client: each,
    feedback: words.splice(0, Number(counts[place])).map(readFeedbackWord),
  }))
  const all = read.flatMap(({ feedback }) => feedback)
  return { clients: read, count: all.length, revoked: all.filter(({ revoked }) => revoked).length }
}

function readClients(state: State, contract: Address, agentId: string): readonly Address[] {
  const slot = mapSlot(BigInt(agentId), layoutSlots.erc8004.clients)
  const [length = slot] = state.words(contract, [slot])
  if (BigInt(length) > BigInt(feedbackMax / 2)) {
    throw new Unfit(`one proof holds at most ${feedbackMax / 2} clients; ask for one client at a time`)
  }
  return state.words(contract, elementSlots(slot, Number(length))).map(addressOf)
}

function readFeedbackWord(word: Hash, index: number): ProvenFeedback {
  const value = BigInt.asIntN(128, memberOf(word, 0, 16))
  return {
    index: String(index + 1),
    value: value.toString(),
    decimals: Number(memberOf(word, 16, 1)),
    revoked: memberOf(word, 17, 1) !== 0n,
  }
}

/** The mapping from recipient and schema of each index: to a uid, or of EAS's `Indexer` to a list of uids. */
export const indexSlots: Readonly<Record<IndexName, Hash>> = {
  // coinbase/verifications, compiled with OpenZeppelin 4.9; passportxyz/eas-proxy, `.openzeppelin`; eas-contracts.
  coinbase: wordOf(301n),
  passport: wordOf(151n),
  'eas-indexer': wordOf(0n),
}

type HolderClaim = Claim & { kind: 'holder' }

/** Whether the record that the claim names makes its subject a holder. */
function readHolder(state: State, place: ClaimPlace, claim: HolderClaim, hints: RecordHints): HolderSays {
  const { attestation, witness } = claim
  if (attestation === null || witness !== null) throw new Unfit('a claim without an index names its record')
  const localId = localIdOf(attestation)
  const record = readRecord(state, { ...place, localId }, hints)
  if (!isOf(record, claim))
    throw new Unfit(`the record ${localId} is not of the schema, attester and recipient of the claim`)
  if (!isValid(record, state)) return { holds: null, attestation: null, expiresAt: null }
  return { holds: true, attestation: localId, expiresAt: record.expiresAt }
}

/** Reads the subject's entry of an index on chain, and the records that the entry names. */
function readIndexed(state: State, place: ClaimPlace, claim: HolderClaim): HolderSays {
  const { index, address, schemaId, witness, attestation } = claim
  if (index === null || attestation !== null || layoutProtocols[place.layout] !== 'eas') {
    throw new Unfit('an index of EAS is asked without a record')
  }
  const uids = readEntries(state, index, address, schemaId)
  for (const uid of uids) {
    // Its id in its place shows the layout of both contracts.
    const record = readRecord(state, { ...place, localId: uid })
    if (isOf(record, claim)) {
      if (!isValid(record, state)) continue
      checkNoWitness(witness)
      return { holds: true, attestation: uid, expiresAt: record.expiresAt }
    }
    // The index of another attester says nothing of this one.
    if (index.name !== 'eas-indexer') throw notTheIssuer(index.name)
  }
  if (uids.length === 0) {
    const entries = witness === null ? [] : readEntries(state, index, witness.address, schemaId)
    if (witness === null || !entries.includes(witness.attestation)) {
      throw new Unfit(`nothing shows that the contract has the layout of the index ${index.name}`)
    }
    const record = readRecord(state, { ...place, localId: witness.attestation })
    if (!isOf(record, { ...claim, address: witness.address })) throw notTheIssuer(index.name)
  } else checkNoWitness(witness)
  // Anybody may put a record into EAS's index, and nobody has to.
  return { holds: index.name === 'eas-indexer' ? null : false, attestation: null, expiresAt: null }
}

function notTheIssuer(index: IndexName): Unfit {
  return new Unfit(
    `the index ${index} names a record that is not of the schema, attester and recipient of the claim`,
  )
}

function checkNoWitness(witness: unknown): void {
  if (witness !== null) throw new Unfit('the claim needs no witness')
}

/** The uids of an index for a recipient and a schema, newest first. */
function readEntries(
  state: State,
  { name, contract }: NonNullable<HolderClaim['index']>,
  address: Address,
  schemaId: string,
): readonly Hash[] {
  const slot = mapSlot(schemaId as Hash, mapSlot(address, indexSlots[name]))
  const [word = slot] = state.words(contract, [slot])
  if (name !== 'eas-indexer') return isZeroWord(word) ? [] : [word]
  if (BigInt(word) > BigInt(entriesMax)) {
    throw new Unfit(`the index lists more than ${entriesMax} attestations of this recipient under the schema`)
  }
  return state.words(contract, elementSlots(slot, Number(word))).toReversed()
}

function isOf(record: RecordSays, { address, schemaId, attester }: HolderClaim): boolean {
  const { recipients } = record
  return (
    record.schemaId === schemaId && record.attester === attester && recipients?.includes(address) === true
  )
}

function isValid({ revoked, expiresAt }: RecordSays, { timestamp }: State): boolean {
  return !revoked && !isPast(expiresAt, timestamp)
}

function isPast(time: StateTime | null, now: number): boolean {
  return time !== null && BigInt(time) <= BigInt(now)
}

/** @throws Unfit */
export function localIdOf(id: string): LocalId {
  const parsed = parseCompositeId(id)
  if (parsed.kind !== 'record') throw new Unfit(`${id} is not the id of a record`)
  return parsed.key.localId
}
