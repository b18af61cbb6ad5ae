import { recordKeyText, type ChainId } from '@attestry/core/model/compositeId.ts'
import type { FieldCondition } from '@attestry/core/model/fieldCondition.ts'
import type { KnownChain } from '../layout/knownChain.ts'
import type { AddressRole } from '../layout/listKinds.ts'
import { valueHolder } from '../layout/valueKey.ts'
import type { Dialect } from '../port/dialect.ts'
import type { SqlInput, SqlText } from '../port/reads.ts'
import type { AddressRow } from './addressLists.ts'
import {
  addressArm,
  addressSchemaArm,
  attesterArm,
  chainArm,
  everyArm,
  holderArm,
  linkedArm,
  portalArm,
  revokedArm,
  schemaArm,
  withRowCondition,
} from './attestationArms.ts'
import type { ResolvedFilter } from './attestationFilter.ts'
import { countFrom } from './countFrom.ts'
import { fieldArms, fieldCondition, isLookedUp } from './fieldArms.ts'
import type { ResolvedField } from './fieldLists.ts'
import {
  exceptCondition,
  filterCondition,
  indexingAddressCondition,
  schemaCondition,
  unnamedCondition,
  type FixedMember,
} from './filterConditions.ts'
import type { OrderValueOf, Walk, WalkArm } from './rowWalk.ts'
import type { ReadSession } from './session.ts'
import { allOf, term } from './sqlTerms.ts'

/** The walk of the attestations that pass a filter. */
export interface AttestationWalk extends Walk {
  /** Conditions that are still to be checked in the payload of each row. */
  readonly decoded: readonly FieldCondition[]
}

/** One way to walk, and about how many rows it may pass. */
interface Candidate {
  readonly arms: readonly WalkArm[]
  readonly fixed: readonly FixedMember[]
  readonly rows: number
  /** The condition on a field that the arms fix. */
  readonly field?: ResolvedField
}

/** Chooses the index with the fewest rows for a filter; what the index does not say is left to the rows. */
export async function chooseWalk(
  session: ReadSession,
  chains: readonly KnownChain[],
  filter: ResolvedFilter,
): Promise<AttestationWalk> {
  const { dialect } = session.connection
  const candidates = [
    ...(filter.linkedAttestations === null ? [] : await linkedCandidates(session, filter)),
    ...(filter.portal === null ? [] : await portalCandidates(session, chains, filter.portal, filter.chainId)),
    ...(hasValue(filter) ? await valueCandidates(session, chains, filter) : []),
    ...addressCandidates(dialect, chains, filter),
    ...fieldCandidates(dialect, filter),
    ...schemaCandidates(dialect, chains, filter),
    ...wholeCandidates(session, chains, filter),
  ]
  const best = candidates.reduce((least, each) =>
    costOf(each, filter) < costOf(least, filter) ? each : least,
  )
  const terms = [filterCondition(dialect, filter, new Set(best.fixed))]
  const decoded: FieldCondition[] = []
  for (const field of otherFields(best, filter)) {
    const looked = fieldCondition(dialect, field.lists)
    if (looked === null) decoded.push(field.condition)
    else terms.push(looked)
  }
  // Lists of values have no attestation of an excepted schema.
  if (decoded.length > 0) terms.push(schemaCondition(dialect), exceptCondition(dialect, filter.exceptSchemas))
  return { arms: best.arms, condition: allOf(terms), orderValueOf: attestationOrder(chains), decoded }
}

/**
 * Rows of attestations and anchors are ordered by their ids. Nothing ties with a place on a chain that is not indexed.
 */
export function attestationOrder(chains: readonly KnownChain[]): OrderValueOf {
  const ordinals = new Map(chains.map(({ chainId, ordinal }) => [chainId, ordinal]))
  return ({ chainId, position }) => {
    const ordinal = ordinals.get(chainId)
    return ordinal === undefined ? -1 : (BigInt(ordinal) << 53n) | BigInt(position)
  }
}

/** If payloads are decoded, each arm is read by statements of its own; they cost about as much as this many rows. */
const rowsPerArm = 32

function costOf(candidate: Candidate, filter: ResolvedFilter): number {
  const isDecoded = otherFields(candidate, filter).some(({ lists }) => !isLookedUp(lists))
  return candidate.rows + (isDecoded ? candidate.arms.length * rowsPerArm : 0)
}

/** The conditions on fields that the arms leave to be checked. */
function otherFields({ field }: Candidate, { fields }: ResolvedFilter): readonly ResolvedField[] {
  return fields.filter((each) => each !== field)
}

function fieldCandidates(dialect: Dialect, { fields, schema, chainId }: ResolvedFilter): Candidate[] {
  const fixed: FixedMember[] = [
    ...(schema === null ? [] : ['schema' as const]),
    ...(chainId === null ? [] : ['chain' as const]),
  ]
  return fields.flatMap((field) => {
    const { lists } = field
    // Without a list the filter was resolved to nothing.
    if (lists === null) return []
    const rows = lists.reduce((sum, { count }) => sum + count, 0)
    return [{ arms: fieldArms(dialect, field, lists), fixed, rows, field }]
  })
}

async function linkedCandidates(
  session: ReadSession,
  { linkedAttestations }: ResolvedFilter,
): Promise<Candidate[]> {
  const sql = 'SELECT 1 FROM attestation WHERE chain_id = ? AND linked_local_id = ? AND protocol = ?'
  const keys = new Map(linkedAttestations?.map((key) => [recordKeyText(key), key]))
  const counts = await Promise.all(
    [...keys.values()].map(({ chainId, localId, protocol }) =>
      countUpTo(session, sql, chainId, localId.slice(2), protocol),
    ),
  )
  return [
    {
      arms: [...keys.values()].map((key) => linkedArm(session.connection.dialect, key)),
      fixed: ['linked', 'chain'],
      rows: counts.reduce((sum, count) => sum + count, 0),
    },
  ]
}

async function portalCandidates(
  session: ReadSession,
  chains: readonly KnownChain[],
  portal: Uint8Array,
  chainId: ChainId | null,
): Promise<Candidate[]> {
  const arms = chainsOf(chains, chainId).map((id) => portalArm(session.connection.dialect, portal, id))
  const rows = await countUpTo(session, 'SELECT 1 FROM attestation WHERE portal = ?', portal)
  return arms.length === 0 ? [] : [{ arms, fixed: ['portal', 'chain'], rows }]
}

function hasValue({ recipient, indexingValue }: ResolvedFilter): boolean {
  return recipient?.kind === 'value' || indexingValue !== null
}

async function valueCandidates(
  session: ReadSession,
  chains: readonly KnownChain[],
  { recipient, indexingValue, chainId }: ResolvedFilter,
): Promise<Candidate[]> {
  const { dialect } = session.connection
  const candidates: Candidate[] = []
  if (recipient?.kind === 'value') {
    const { key, under } = recipient
    const arms = [holderArm(dialect, key, valueHolder.recipient, chainId)]
    let rows = await countPostings(session, key)
    if (under !== null) {
      const received = roleArms(dialect, chains, under, ['receivedOther', 'receivedSelf'], chainId, null)
      arms.push(...received.map((arm) => withRowCondition(arm, unnamedCondition(dialect, key))))
      rows += under.receivedOther + under.receivedSelf
    }
    candidates.push({ arms, fixed: ['recipient', 'chain'], rows })
  }
  if (indexingValue !== null && indexingValue.kind !== 'empty') {
    const arms = [holderArm(dialect, indexingValue.key, valueHolder.indexingValue, chainId)]
    let rows = await countPostings(session, indexingValue.key)
    if (indexingValue.kind === 'address' && indexingValue.row !== null) {
      const condition = indexingAddressCondition(indexingValue.address)
      const involved = roleArms(
        dialect,
        chains,
        indexingValue.row,
        ['created', 'receivedOther'],
        chainId,
        null,
      )
      arms.push(...involved.map((arm) => withRowCondition(arm, condition)))
      rows += indexingValue.row.created + indexingValue.row.receivedOther
    }
    candidates.push({ arms, fixed: ['indexingValue', 'chain'], rows })
  }
  return candidates
}

function addressCandidates(
  dialect: Dialect,
  chains: readonly KnownChain[],
  filter: ResolvedFilter,
): Candidate[] {
  const { schema, attester, recipient, chainId } = filter
  const fixed: FixedMember[] = schema === null ? ['chain'] : ['chain', 'schema']
  // If the list of an address is long, its part under the schema may still be short. It is no longer than either.
  const most = schema?.attestationCount ?? Infinity
  const candidates: Candidate[] = []
  if (attester !== null && schema === null && filter.revoked === true) {
    const revoked = revokedPart(dialect, filter, ['protocol'])
    candidates.push({
      arms: chainsOf(chains, chainId).map((id) => attesterArm(dialect, attester.id, id, revoked.term)),
      fixed: [...fixed, 'attester', ...revoked.fixed],
      rows: Math.min(attester.created, countRevoked(chains, chainId)),
    })
  } else if (attester !== null) {
    candidates.push({
      arms: roleArms(dialect, chains, attester, ['created'], chainId, schema),
      fixed: [...fixed, 'attester'],
      rows: Math.min(attester.created, most),
    })
  }
  if (recipient?.kind === 'address') {
    const { address } = recipient
    candidates.push({
      arms: roleArms(dialect, chains, address, ['receivedOther', 'receivedSelf'], chainId, schema),
      fixed: [...fixed, 'recipient'],
      rows: Math.min(address.receivedOther + address.receivedSelf, most),
    })
  }
  return candidates
}

function schemaCandidates(
  dialect: Dialect,
  chains: readonly KnownChain[],
  filter: ResolvedFilter,
): Candidate[] {
  const { schema, chainId } = filter
  if (schema === null || chainId === null) return []
  const revoked = revokedPart(dialect, filter, ['attester'])
  const most = revoked.term === null ? Infinity : countRevoked(chains, chainId)
  return [
    {
      arms: [schemaArm(dialect, schema.id, chainId, revoked.term)],
      fixed: ['schema', 'chain', ...revoked.fixed],
      rows: Math.min(schema.attestationCount, most),
    },
  ]
}

function wholeCandidates(
  session: ReadSession,
  chains: readonly KnownChain[],
  filter: ResolvedFilter,
): Candidate[] {
  const { chainId } = filter
  const { dialect } = session.connection
  const candidates: Candidate[] = []
  const revoked = revokedPart(dialect, filter, chainId === null ? [] : ['protocol', 'attester'])
  if (revoked.term !== null) {
    candidates.push({
      arms: [chainId === null ? revokedArm(dialect) : chainArm(dialect, chainId, revoked.term)],
      fixed: chainId === null ? revoked.fixed : ['chain', ...revoked.fixed],
      rows: countRevoked(chains, chainId),
    })
  } else if (chainId !== null) {
    const rows = chains.find((chain) => chain.chainId === chainId)?.attestationCount ?? 0
    candidates.push({ arms: [chainArm(dialect, chainId, null)], fixed: ['chain'], rows })
  }
  candidates.push({ arms: [everyArm(dialect)], fixed: [], rows: session.snapshot.attestationCount })
  return candidates
}

/**
 * The part of a filter that an index of revoked attestations fixes; a null term: the filter passes others too.
 * @param members those that are columns of the index.
 */
function revokedPart(
  dialect: Dialect,
  { revoked, protocol, attester, cut }: ResolvedFilter,
  members: readonly ('protocol' | 'attester')[],
): { readonly term: SqlText | null; readonly fixed: readonly FixedMember[] } {
  if (revoked !== true) return { term: null, fixed: [] }
  const terms = [term('a.revoke_timestamp IS NOT NULL')]
  if (protocol !== null && members.includes('protocol')) terms.push(term('a.protocol = ?', protocol))
  if (attester !== null && members.includes('attester')) {
    terms.push(term(`${dialect.hidden('a.attester_id', 'integer')} = ?`, attester.id))
  }
  // Some of them may have been revoked after a cut.
  return { term: allOf(terms), fixed: cut === null ? [...members, 'revoked'] : members }
}

/** The revoked attestations on one chain, or on all. */
function countRevoked(chains: readonly KnownChain[], chainId: ChainId | null): number {
  const counted = chains.filter((chain) => chainId === null || chain.chainId === chainId)
  return counted.reduce((sum, { revocationCount }) => sum + revocationCount, 0)
}

/** The lists of an address in these roles, on one chain or on all, under one schema or under any. */
function roleArms(
  dialect: Dialect,
  chains: readonly KnownChain[],
  address: AddressRow,
  roles: readonly AddressRole[],
  chainId: ChainId | null,
  schema: ResolvedFilter['schema'],
): WalkArm[] {
  const used = roles.filter((role) => address[role] > 0)
  // An empty list is walked if there is no other: a walk has at least one arm.
  const walked = used.length === 0 ? roles.slice(0, 1) : used
  if (schema !== null && chainId !== null) {
    return walked.map((role) => addressSchemaArm(dialect, address.id, role, schema.id, chainId))
  }
  return walked.flatMap((role) =>
    chainsOf(chains, chainId).map((id) => addressArm(dialect, address.id, role, id)),
  )
}

function chainsOf(chains: readonly KnownChain[], chainId: ChainId | null): readonly ChainId[] {
  return chainId === null ? chains.map((chain) => chain.chainId) : [chainId]
}

/** Up to this many entries are counted to find out which index has fewer. */
const countedMax = 1_000

function countPostings(session: ReadSession, key: Uint8Array): Promise<number> {
  return countUpTo(session, 'SELECT 1 FROM value_posting WHERE value_key = ?', key)
}

function countUpTo(
  { connection }: ReadSession,
  sql: string,
  ...parameters: readonly SqlInput[]
): Promise<number> {
  return countFrom(connection, `(${sql} LIMIT ${countedMax}) AS m`, parameters)
}
