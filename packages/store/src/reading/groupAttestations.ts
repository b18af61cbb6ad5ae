import type { DecodePayload } from '@attestry/core/model/decodedPayload.ts'
import { fieldPathText } from '@attestry/core/model/fieldValues.ts'
import { parseAddress } from '@attestry/core/model/hex.ts'
import {
  type AttestationFilter,
  type GroupBy,
  groupDepthMax,
  type GroupsRequest,
} from '@attestry/core/index/indexQueries.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import type { KnownChain } from '../layout/knownChain.ts'
import { fieldPathKey } from '../layout/fieldKey.ts'
import { fieldState } from '../layout/fieldState.ts'
import type { SqlValue } from '../port/reads.ts'
import { listTopAttesters } from './activity.ts'
import { otherRecipientsArm } from './attestationArms.ts'
import { resolveParts, type FilterPart, type ResolvedFilter } from './attestationFilter.ts'
import {
  attesters,
  readDictionary,
  recipientAddresses,
  schemasOn,
  type TopGroups,
} from './dictionaryGroups.ts'
import { byCount, firstGroups, groupsOf, presentGroup, schemaKey, tallyKeyOf } from './groupKeys.ts'
import { findAttestationCount, hasUncountedMember } from './knownCounts.ts'
import { listKnownChains } from './knownChains.ts'
import { findKnownGroups } from './knownGroups.ts'
import { createCounts, planTally, type Counted, type CountRuns, type CountWork } from './queryCounts.ts'
import type { ReadSession } from './session.ts'
import { sumOf, tallyKeysMax, tallyRows, type CountBudget, type Effort, type TallyPlan } from './tallyRows.ts'

/** Groups of a filter: how many attestations and groups there are, and the first groups. */
interface GroupList extends TopGroups {
  readonly total: number
}

/** Lists remembered, each of up to `groupDepthMax` groups. */
const rememberedMax = 2

/** A request for groups, resolved for one state of the index. */
interface Asked {
  readonly by: GroupBy
  readonly filter: AttestationFilter
  readonly resolved: ResolvedFilter
  readonly chains: readonly KnownChain[]
  /** How many of the groups are wanted at least. */
  readonly depth: number
  readonly decodePayload: DecodePayload
}

/** The groups of one reader. */
export function createGroups(
  runs: CountRuns,
  budget: CountBudget,
  decodePayload: DecodePayload,
): Pick<IndexReader, 'groupAttestations'> {
  const count = createCounts<GroupList>(oneAtATime(runs), budget, rememberedMax)
  return {
    groupAttestations: async ({ by, filter, page, size }, turn) => {
      const depth = depthOf({ page, size })
      const key = `${depth} ${JSON.stringify({ by, filter })}`
      const work: CountWork<GroupList> = async (session, effort) => {
        const chains = await listKnownChains(session)
        const [first, ...others] = chains.length === 0 ? [] : await resolveParts(session, filter)
        if (first === undefined) return known({ total: 0, groups: 0, top: [] })
        const asked = { by, chains, depth, decodePayload }
        return others.length === 0
          ? await listGroups(session, { ...asked, ...first }, effort)
          : await tallyGroups(session, asked, [first, ...others], effort)
      }
      const { total, groups, top } = await count(key, work, turn)
      const rows = top.slice((page - 1) * size, page * size)
      return { total, groups, rows: rows.map((group) => presentGroup(by, group)) }
    },
  }
}

/**
 * Long counts one after another: each may hold `tallyKeysMax` keys with their texts, some 100 MB. Those that are made
 * at once are few.
 */
export function oneAtATime({ run, countLong }: CountRuns): CountRuns {
  let last: Promise<unknown> = Promise.resolve()
  return {
    run,
    countLong: (work, budget, turn) => {
      const counted = last.then(() => countLong(work, budget, turn))
      last = counted.then(
        () => undefined,
        () => undefined,
      )
      return counted
    },
  }
}

/**
 * Depths to which lists are read; the pages within one share what was read for the first of them. Of a million
 * accounts, ten times as many groups take some eight times as long.
 */
const depths = [1_000, 10_000, groupDepthMax]

function depthOf({ page, size }: Pick<GroupsRequest, 'page' | 'size'>): number {
  return depths.find((depth) => page * size <= depth) ?? groupDepthMax
}

function known(result: GroupList): Counted<GroupList> {
  return { result, isFromRows: false }
}

async function listGroups(
  session: ReadSession,
  asked: Asked,
  effort: Effort,
): Promise<Counted<GroupList> | null> {
  const { by, filter, resolved, chains } = asked
  const only = onlyKey(by, filter, resolved)
  if (only !== null) return await listOnly(session, asked, only, effort)
  // Payloads under a schema that is not registered have no fields.
  if (typeof by === 'object' && resolved.schema?.isRegistered !== true) {
    return await listOnly(session, asked, null, effort)
  }
  const groups = await findKnownGroups(session, chains, by, filter, resolved)
  if (groups !== null) return known(listOf(asked, groups, sumOf(groups)))
  const unrevoked = await subtractRevoked(session, asked, effort)
  if (unrevoked !== undefined) return unrevoked
  const top = await readTopGroups(session, asked, effort)
  if (top !== undefined) return top
  return await tallyGroups(session, asked, [asked], effort)
}

/**
 * The groups by time of unrevoked records: those of all records, which counters hold, less those of the revoked ones;
 * undefined if no counters hold them.
 */
async function subtractRevoked(
  session: ReadSession,
  asked: Asked,
  effort: Effort,
): Promise<Counted<GroupList> | null | undefined> {
  const { by, filter, resolved, chains, decodePayload } = asked
  if ((by !== 'day' && by !== 'month') || resolved.revoked !== false) return undefined
  const ofAll = { ...resolved, revoked: null }
  const groups = await findKnownGroups(session, chains, by, { ...filter, revoked: null }, ofAll)
  if (groups === null) return undefined
  const key = tallyKeyOf(session.connection.dialect, by, decodePayload)
  const plan = await planTally(session, chains, { ...resolved, revoked: true }, key, decodePayload)
  const tally = await tallyRows(session.connection, [plan], effort)
  if (tally === null) return null
  for (const [group, count] of await groupsOf(by, tally, effort.pace)) {
    const left = (groups.get(group) ?? 0) - count
    if (left === 0) groups.delete(group)
    else groups.set(group, left)
  }
  return { result: listOf(asked, groups, sumOf(groups)), isFromRows: true }
}

/** The groups of rows, counted one by one. */
async function tallyGroups(
  session: ReadSession,
  { by, chains, depth, decodePayload }: Pick<Asked, 'by' | 'chains' | 'depth' | 'decodePayload'>,
  parts: readonly Pick<FilterPart, 'resolved'>[],
  effort: Effort,
): Promise<Counted<GroupList> | null> {
  const { connection } = session
  const key = tallyKeyOf(connection.dialect, by, decodePayload)
  const plans: TallyPlan[] = []
  for (const { resolved } of parts) {
    plans.push(await planTally(session, chains, resolved, key, decodePayload))
  }
  const tally = await tallyRows(connection, plans, effort)
  if (tally === null) return null
  const total = sumOf(tally)
  const counted = await groupsOf(by, tally, effort.pace)
  if (counted.size > tallyKeysMax) return null
  return { result: listOf({ by, depth }, counted, total), isFromRows: true }
}

/** The key that a filter leaves; null if it may leave several. */
function onlyKey(by: GroupBy, filter: AttestationFilter, { chainId, schema }: ResolvedFilter): string | null {
  switch (by) {
    case 'schema':
      return filter.schema && schema && schemaKey({ ...filter.schema, protocol: schema.protocol })
    case 'chain':
      return chainId === null ? null : String(chainId)
    case 'revoked':
      return filter.revoked === null ? null : String(filter.revoked)
    case 'protocol':
      return schema?.protocol ?? filter.protocol
    case 'attester':
      return filter.attester
    default:
      return null
  }
}

/** All that pass a filter as one group, or as none. */
async function listOnly(
  session: ReadSession,
  { by, depth, filter, resolved, chains, decodePayload }: Asked,
  key: string | null,
  effort: Effort,
): Promise<Counted<GroupList> | null> {
  const count = await findAttestationCount(session, chains, filter, resolved)
  const listed = (total: number) =>
    listOf({ by, depth }, new Map(total === 0 || key === null ? [] : [[key, total]]), total)
  if (count !== null) return known(listed(count))
  const plan = await planTally(session, chains, resolved, null, decodePayload)
  const tally = await tallyRows(session.connection, [plan], effort)
  return tally === null ? null : { result: listed(sumOf(tally)), isFromRows: true }
}

function listOf(
  { by, depth }: Pick<Asked, 'by' | 'depth'>,
  groups: ReadonlyMap<string, number>,
  total: number,
): GroupList {
  return { total, groups: groups.size, top: firstGroups(by, groups, depth) }
}

/**
 * The groups of everything, a chain or a schema, read from counters, however many there are; undefined if no counters
 * hold them.
 */
async function readTopGroups(
  session: ReadSession,
  asked: Asked,
  effort: Effort,
): Promise<Counted<GroupList> | null | undefined> {
  const { by, filter, resolved, chains, depth } = asked
  const { schema, attester, recipient, chainId, protocol, revoked, from, before } = resolved
  const others = [attester, recipient, protocol, revoked, from, before]
  if (hasUncountedMember(resolved) || others.some((member) => member !== null)) return undefined
  const counted = (list: TopGroups | null, total = session.snapshot.attestationCount) =>
    list === null ? null : { result: { ...list, total }, isFromRows: true }
  if (by === 'schema') {
    const chain = chains.find((each) => each.chainId === chainId)
    const list = await readDictionary(session, schemasOn(chainId), depth, effort)
    return counted(list, chainId === null ? undefined : (chain?.attestationCount ?? 0))
  }
  if (by === 'attester' && filter.schema !== null && schema !== null) {
    const list = await listTopAttesters(session, { ...filter.schema, protocol: schema.protocol }, depth)
    const top = list.rows.map(({ address, count }) => ({ key: address, count }))
    return known({ total: schema.attestationCount, groups: list.total, top })
  }
  if (typeof by === 'object')
    return schema === null ? undefined : await readFieldGroups(session, { by, depth }, schema)
  if (schema !== null || chainId !== null) return undefined
  if (by === 'attester') return counted(await readDictionary(session, attesters, depth, effort))
  if (by === 'recipient') return counted(await readRecipients(session, asked, effort))
  return undefined
}

/** The values of a field, as its index counts them; undefined if it does not. */
async function readFieldGroups(
  { connection }: ReadSession,
  { by, depth }: { readonly by: Exclude<GroupBy, string>; readonly depth: number },
  schema: NonNullable<ResolvedFilter['schema']>,
): Promise<Counted<GroupList> | null | undefined> {
  // The index of fields does not cover content.
  if (schema.fieldState !== fieldState.complete || by.contents !== undefined) return undefined
  const fields = await connection.all<[id: number, valueCount: number]>(
    'SELECT id, value_count FROM field WHERE schema_id = ? AND path_key = ?',
    schema.id,
    fieldPathKey(fieldPathText(by.path)),
  )
  const groups = new Map<string, number>()
  if (fields.reduce((sum, [, valueCount]) => sum + valueCount, 0) > tallyKeysMax) return null
  for (const [id] of fields) {
    const values = await connection.all<[SqlValue, number]>(
      'SELECT value, count FROM field_value WHERE field_id = ?',
      id,
    )
    for (const [value, count] of values) {
      const key = connection.dialect.decodeText(value)
      // Two fields of one name and of different kinds have the value: an attestation that has it in both counts once.
      if (groups.has(key)) return undefined
      groups.set(key, count)
    }
  }
  return { result: listOf({ by, depth }, groups, schema.attestationCount), isFromRows: true }
}

/**
 * The recipients of all attestations: addresses by their counters, others by the index of the attestations with some.
 */
async function readRecipients(
  session: ReadSession,
  { resolved, chains, depth, decodePayload }: Asked,
  effort: Effort,
): Promise<TopGroups | null> {
  const addresses = await readDictionary(session, recipientAddresses, depth, effort)
  if (addresses === null) return null
  const { connection } = session
  const key = tallyKeyOf(connection.dialect, 'recipient', decodePayload)
  const plan = await planTally(session, chains, resolved, key, decodePayload)
  const arms = [otherRecipientsArm(connection.dialect)]
  const tally = await tallyRows(connection, [{ ...plan, arms }], effort)
  if (tally === null) return null
  const recipients = await groupsOf('recipient', tally, effort.pace)
  const texts = [...recipients].filter(([recipient]) => parseAddress(recipient) === null)
  const top = [...addresses.top, ...firstGroups('recipient', texts, depth)].sort(byCount)
  return { groups: addresses.groups + texts.length, top: top.slice(0, depth) }
}
