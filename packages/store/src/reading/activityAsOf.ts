import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { Address } from '@attestry/core/model/hex.ts'
import { daySeconds } from '@attestry/core/model/time.ts'
import {
  everyAttestation,
  everySchema,
  groupDepthMax,
  type ActivitySubject,
  type AttestationFilter,
  type DaySpan,
} from '@attestry/core/index/indexQueries.ts'
import type { PastReader } from '@attestry/core/index/indexReader.ts'
import { dayRange, isWithin, type DayRange } from '../layout/dayRange.ts'
import type { ActivityDay, ProtocolDay, ProtocolTotals } from '@attestry/core/index/storedRecords.ts'
import { listsOf, readDayCounts, type DayMember } from './activity.ts'
import { findAddress } from './addressLists.ts'
import { countFromAsOf, tableOf } from './countAsOf.ts'
import { placeOfCut, type Cut, type CutTable } from './cut.ts'
import type { CountedList } from './locateOffset.ts'
import type { PastSession } from './session.ts'
import type { PastSessions } from './sessionsAsOf.ts'

/** Totals and series as of a moment, of counts as of it. */
export type ActivityAsOf = Pick<PastReader, 'listActivity' | 'listTotals' | 'listProtocolDays'>

/** @param newest the totals and series of the newest state. @param past counts as of the moment. */
export function createActivityAsOf(
  { readPast }: PastSessions,
  newest: Pick<PastReader, 'listTotals' | 'listProtocolDays'>,
  past: Pick<PastReader, 'countAttestations' | 'countSchemas' | 'groupAttestations'>,
): ActivityAsOf {
  async function listTotals(): Promise<ProtocolTotals[]> {
    const totals: ProtocolTotals[] = []
    const counted = await readPast(async ({ cut }) => chainsOf(cut))
    for (const { chainId, protocol } of await newest.listTotals()) {
      if (!counted.has(chainId)) continue
      const filter = { ...everyAttestation, chainId, protocol }
      const [schemaCount, attestationCount, revocationCount] = await Promise.all([
        past.countSchemas({ ...everySchema, chainId, protocol }),
        past.countAttestations(filter),
        past.countAttestations({ ...filter, revoked: true }),
      ])
      if (schemaCount + attestationCount === 0) continue
      totals.push({ chainId, protocol, schemaCount, attestationCount, revocationCount })
    }
    return totals
  }

  async function listProtocolDays(span?: DaySpan): Promise<ProtocolDay[]> {
    const days: ProtocolDay[] = []
    const { whole, last, counted } = await readPast(daysOfCut)
    for (const each of await newest.listProtocolDays(span)) {
      const { chainId, protocol, day } = each
      if (day > last || !counted.has(chainId)) continue
      if (day < whole) {
        days.push(each)
        continue
      }
      const [from, before] = [day * daySeconds, (day + 1) * daySeconds]
      const [schemas, attestations] = await Promise.all([
        past.countSchemas({
          ...everySchema,
          chainId,
          protocol,
          registeredFrom: from,
          registeredBefore: before,
        }),
        past.countAttestations({
          ...everyAttestation,
          chainId,
          protocol,
          attestedFrom: from,
          attestedBefore: before,
        }),
      ])
      if (schemas + attestations > 0) days.push({ chainId, protocol, day, schemas, attestations })
    }
    return days
  }

  async function listActivity(subject: ActivitySubject, span: DaySpan = { from: null, before: null }) {
    if (subject.kind === 'everything') return sumOfProtocols(await listProtocolDays(span))
    const isOfOneChain = await readPast(async ({ cut }) => cut.chainId !== null)
    if (subject.kind === 'address' && isOfOneChain) return await listOnChain(subject.address, span)
    return await readPast((session) => listDays(session, subject, dayRange(span)))
  }

  /** The parts of an address's lists on a chain have no counts by day. */
  async function listOnChain(address: Address, span: DaySpan): Promise<ActivityDay[]> {
    const byDay = async (filter: Partial<AttestationFilter>) => {
      const request = {
        by: 'day',
        filter: { ...everyAttestation, ...filter },
        page: 1,
        size: groupDepthMax,
      } as const
      const { rows } = await past.groupAttestations(request)
      return rows.map(({ key, count }): [number, number] => [dayOfKey(key), count])
    }
    const [attestations, received, schemas] = await Promise.all([
      byDay({ attester: address }),
      byDay({ recipient: { kind: 'address', address } }),
      readPast((session) => schemaDays(session, address)),
    ])
    return daysOf({ attestations, received, schemas }, dayRange(span))
  }

  return { listTotals, listProtocolDays, listActivity }
}

/** The day of a group by day, counted from 1970. */
function dayOfKey(key: string): number {
  return Date.parse(`${key}T00:00:00Z`) / (daySeconds * 1_000)
}

/** The chains of which anything counts. */
function chainsOf({ chains }: Cut): ReadonlySet<ChainId> {
  return new Set(chains.map(({ chainId }) => chainId))
}

interface DaysOfCut {
  /** The first day that does not count as a whole. */
  readonly whole: number
  /** The last day of which anything counts. */
  readonly last: number
  readonly counted: ReadonlySet<ChainId>
}

async function daysOfCut({ connection, cut }: PastSession): Promise<DaysOfCut> {
  const places = await Promise.all(
    (['attestation', 'schema'] as const).map((table: CutTable) => placeOfCut(connection, cut, table)),
  )
  const dayOf = (timestamp: number) => Math.floor(timestamp / daySeconds)
  return {
    whole: dayOf(Math.min(...places.map(({ from }) => from))),
    last: dayOf(Math.max(...places.map(({ before }) => before)) - 1),
    counted: chainsOf(cut),
  }
}

async function listDays(
  session: PastSession,
  subject: ActivitySubject,
  range: DayRange,
): Promise<ActivityDay[]> {
  const counts: Record<DayMember, [number, number][]> = { attestations: [], received: [], schemas: [] }
  for (const { member, ...counted } of await listsOf(session, subject)) {
    counts[member].push(...(await countDays(session, counted, range)))
  }
  return daysOf(counts, range)
}

/** The counts of a list by day: those of the day that the cut divides are counted by the tree of the list. */
async function countDays(
  session: PastSession,
  counted: CountedList,
  range: DayRange,
): Promise<[number, number][]> {
  const { connection, cut } = session
  const { from, before } = await placeOfCut(connection, cut, tableOf(counted))
  const days: [number, number][] = []
  for (const [day, count] of await readDayCounts(session, counted, range)) {
    const [start, end] = [day * daySeconds, (day + 1) * daySeconds]
    if (end <= from) days.push([day, count])
    else if (start < before) {
      const [sinceStart, sinceEnd] = await Promise.all([
        countFromAsOf(session, cut, counted, start),
        countFromAsOf(session, cut, counted, end),
      ])
      days.push([day, sinceStart - sinceEnd])
    }
  }
  return days
}

async function schemaDays({ connection, cut }: PastSession, account: Address): Promise<[number, number][]> {
  const address = await findAddress(connection, account)
  const [chain] = cut.chains
  if (address === null || chain === undefined) return []
  const { dialect } = connection
  return await connection.all<[number, number]>(
    `SELECT s.register_timestamp / ${daySeconds}, count(*) ` +
      `FROM ${dialect.walked('schema', 's', 'schema_by_registrant')} WHERE s.registrant_id = ? ` +
      `AND ${dialect.flag('s.registered', true)} AND ${dialect.hidden('s.chain_id', 'integer')} = ? ` +
      `AND ${dialect.hidden('s.position', 'integer')} <= ? GROUP BY 1`,
    address.id,
    chain.chainId,
    chain.position,
  )
}

function sumOfProtocols(days: readonly ProtocolDay[]): ActivityDay[] {
  const everyDay = { first: -Infinity, last: Infinity }
  return daysOf(
    {
      attestations: days.map(({ day, attestations }) => [day, attestations]),
      schemas: days.map(({ day, schemas }) => [day, schemas]),
      received: [],
    },
    everyDay,
  )
}

/** Days with something in them, oldest first. */
function daysOf(
  counts: Readonly<Record<DayMember, readonly (readonly [day: number, count: number])[]>>,
  range: DayRange,
): ActivityDay[] {
  const days = new Map<number, Record<DayMember, number>>()
  for (const member of ['attestations', 'received', 'schemas'] as const) {
    for (const [day, count] of counts[member]) {
      if (count === 0 || !isWithin(range, day)) continue
      const found = days.get(day) ?? { attestations: 0, received: 0, schemas: 0 }
      found[member] += count
      days.set(day, found)
    }
  }
  return [...days].sort(([a], [b]) => a - b).map(([day, found]) => ({ day, ...found }))
}
