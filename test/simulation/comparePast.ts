import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RecordKey } from '@attestry/core/model/compositeId.ts'
import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import type { StoredEvent } from '@attestry/core/index/indexRestore.ts'
import { openView } from '@attestry/server/pipeline/asOf/openView.ts'
import type { AskedMoment } from '@attestry/server/pipeline/asOf/parseAsOf.ts'
import type { ReadHeader } from '@attestry/server/pipeline/asOf/resolveBlock.ts'
import { parseAddress, parseHash } from '@attestry/core/model/hex.ts'
import { positionBlock } from '@attestry/core/model/position.ts'
import { recipientsOf } from '@attestry/core/model/recordJson.ts'
import { unixMilliseconds } from '@attestry/core/model/time.ts'
import {
  everyAttestation,
  everySchema,
  groupNames,
  type AttestationFilter,
  type IndexedBlock,
} from '@attestry/core/index/indexQueries.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import { migrateSqlite } from '@attestry/store/sqlite/migrateSqlite.ts'
import { openSqliteReader } from '@attestry/store/sqlite/openSqliteReader.ts'
import { openSqliteWriter } from '@attestry/store/sqlite/openSqliteWriter.ts'
import type { StoredAttestation } from '@attestry/core/index/storedRecords.ts'
import { expectPast, type AskedLists, type AskedRecords } from '@attestry/store/testing/expectPast.ts'
import { exportOf } from '@attestry/store/testing/storeFactory.ts'
import { parseExportLine } from '@attestry/store/transfer/parseExportLine.ts'
import type { Random } from '../simulator/random.ts'
import type { SimulatedChain } from '../simulator/simulatedChain.ts'
import { compareExport } from './compareExport.ts'
import { expectedIndex, type FollowedContracts } from './expectedIndex.ts'
import { projections } from '../harness/projections.ts'

export interface PastSubject {
  readonly chain: SimulatedChain
  readonly contracts: FollowedContracts
  /** An index of the chain up to its head, and its export. */
  readonly reader: IndexReader
  readonly exported: readonly string[]
  readonly nowMs: number
  readonly random: Random
}

/** Rows, of which the lists and records that are asked about are drawn. */
const rowsMax = 300

/**
 * Compares the answers of an index as of some moments with an index that stopped there, and that index with the chain.
 * Returns the differences as sentences.
 */
export async function findPastProblems(subject: PastSubject, moments: number): Promise<readonly string[]> {
  const problems: string[] = []
  for (let each = 0; each < moments; each++) {
    const drawn = drawMoment(subject)
    const found = await compareMoment(subject, drawn).catch((error: unknown) => [describe(error)])
    problems.push(...found.map((problem) => `as of ${JSON.stringify(drawn)}: ${problem}`))
  }
  return problems
}

/** An error of an assertion with the places where the two values begin to differ. */
function describe(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
  if (!(error instanceof Error && 'actual' in error && 'expected' in error)) return stack
  const texts = [error.actual, error.expected].map((value) => JSON.stringify(value) ?? 'nothing')
  const [actual = '', expected = ''] = texts
  const same = [...actual].findIndex((letter, index) => letter !== expected[index])
  const shown = texts.map((text) => text.slice(Math.max(0, same - 300), same + 300))
  return `${shown.join('\n  instead of ')}\n${stack}`
}

interface Drawn {
  readonly asked: AskedMoment
  /** The last block that counts. */
  readonly last: IndexedBlock
}

/** A block by its number or hash, or a time; most often of a block that something happened in, or of its neighbour. */
function drawMoment({ chain, random }: PastSubject): Drawn {
  const view = chain.view()
  const events = chain.events(view, 0, view.head)
  const eventful = events.length === 0 ? 0 : random.pick(events).block + random.integer(-1, 1)
  const number = random.chance(0.7) ? eventful : random.integer(0, view.head)
  let last = blockOf(chain, Math.min(Math.max(number, 0), view.head))
  const { chainId } = chain
  switch (random.pick(['number', 'hash', 'time'] as const)) {
    case 'number':
      return { asked: { kind: 'block', chainId, block: last.number }, last }
    case 'hash':
      return { asked: { kind: 'block', chainId, block: last.hash }, last }
    case 'time': {
      const at = last.timestamp
      while (last.number < view.head && blockOf(chain, last.number + 1).timestamp === at) {
        last = blockOf(chain, last.number + 1)
      }
      return { asked: { kind: 'time', at }, last }
    }
  }
}

function blockOf(chain: SimulatedChain, number: number): IndexedBlock {
  const block = chain.block(chain.view(), number)
  const hash = parseHash(block?.hash ?? '')
  if (block === null || hash === null) throw new Error(`the chain has no block ${number}`)
  return { number, hash, timestamp: block.timestamp }
}

async function compareMoment(subject: PastSubject, { asked, last }: Drawn): Promise<readonly string[]> {
  const { chain, contracts, reader, exported, random } = subject
  const view = await openView(
    { reader, readHeader: headersOf(chain), now: () => unixMilliseconds(subject.nowMs) },
    { asOf: asked, chainIds: null },
  )
  const blocks = view.past?.blocks ?? []
  const moment = {
    blocks: new Map(blocks.map((block) => [block.chainId, { number: block.number, timestamp: block.at }])),
    at: asked.kind === 'time' ? asked.at : (blocks[0]?.at ?? null),
  }
  const stopped = await openStopped(exported, last)
  try {
    const records = await drawRecords(reader, last.timestamp, random)
    await expectPast({ past: view.reader, stopped: stopped.reader, moment }, records.asked, records.lists)
    // Metadata that contracts hold beside records has the value of the time at which it was read.
    const truth = expectedIndex(chain, contracts, { ...chain.view(), head: last.number })
    return compareExport(
      await exportOf(stopped.reader, true),
      truth.map(({ body: _body, ...line }) => line),
    )
  } finally {
    await stopped.close()
  }
}

function headersOf(chain: SimulatedChain): ReadHeader {
  return (_, wanted) => {
    const number = 'hash' in wanted ? chain.numberOf(chain.view(), wanted.hash) : wanted.number
    return Promise.resolve(
      number === null ? { kind: 'none' } : { kind: 'found', block: blockOf(chain, number) },
    )
  }
}

/** A new index of the events of an export up to a block. */
async function openStopped(
  exported: readonly string[],
  last: IndexedBlock,
): Promise<{ readonly reader: IndexReader; close(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-stopped-'))
  const path = join(folder, 'index.db')
  migrateSqlite(path, { projections })
  const writer = openSqliteWriter(path, { projections })
  const lines = exported.slice(1, -1).map(parseExportLine)
  const chain = lines.find((line) => line.kind === 'chain')
  if (chain === undefined) throw new Error('the export has no chain')
  const { identity } = chain
  await writer.openChain(identity)
  await writer.applyBlocks(identity.chainId, {
    fromBlock: 0,
    checkpoint: { blockNumber: last.number, timestamp: last.timestamp },
    events: lines.flatMap((line) =>
      line.kind === 'event' && positionBlock(line.stored.event.position) <= last.number
        ? [asRead(line.stored)]
        : [],
    ),
    recentBlocks: [],
    forgetBlocksBelow: 0,
    storedAt: unixMilliseconds(0),
  })
  await writer.close()
  const reader = openSqliteReader(path, { projections })
  const close = async () => {
    await reader.close()
    rmSync(folder, { recursive: true })
  }
  return { reader, close }
}

/**
 * The event as an index that stopped early would have read it: a record whose claim was settled was born revoked, one
 * that an event revoked was not.
 */
function asRead({ event, settled, revocation }: StoredEvent): DomainEvent {
  if (event.kind !== 'attestationMade') return event
  const { revocationAtRead: read } = event.attestation
  if (read.kind !== 'claimed') return event
  const byEvent = revocation !== null && revocation.position !== null
  const kind = settled !== null ? 'supposed' : byEvent ? 'none' : 'claimed'
  return { ...event, attestation: { ...event.attestation, revocationAtRead: { ...read, kind } } }
}

/** Records of the index, and lists by what the records have. */
async function drawRecords(
  reader: IndexReader,
  at: number,
  random: Random,
): Promise<{ readonly asked: AskedRecords; readonly lists: AskedLists }> {
  const newest = { order: 'newestFirst', after: null, limit: rowsMax } as const
  const attestations = await reader.sliceAttestations(
    { ...newest, filter: everyAttestation },
    { detail: true, schema: false },
  )
  const schemas = await reader.sliceSchemas({ ...newest, filter: everySchema })
  const some = <Item>(items: readonly Item[], count: number) =>
    items.length === 0 ? [] : Array.from({ length: count }, () => random.pick(items))
  const made = some(attestations.rows, 12)
  const registered = some(schemas.rows, 3)
  const addresses = [
    ...made
      .slice(0, 4)
      .flatMap((each) => [
        parseAddress(each.attester),
        ...recipientsOf(each).map((text) => parseAddress(text)),
      ]),
    ...registered.map(({ registrant }) => registrant),
  ].filter((address) => address !== null)
  const schemaKeys = [...made.slice(0, 4).map(schemaKeyOf), ...registered.map(({ key }) => key)]
  const narrow = () => made.slice(0, 6).map((each) => narrowBy(each, at, random))
  return {
    asked: {
      keys: made.map(({ key }) => key),
      schemaKeys,
      addresses: [...new Set(addresses)].slice(0, 6),
      chainIds: [...new Set(made.map(({ key }) => key.chainId))],
      protocols: ['verax'],
    },
    lists: {
      filters: narrow(),
      schemaFilters: registered.flatMap(({ registrant, resolver, key: { protocol }, registerTimestamp }) => [
        { ...everySchema, registrant },
        { ...everySchema, resolver, protocol },
        { ...everySchema, registeredBefore: registerTimestamp + random.integer(0, 1) },
      ]),
      groups: groupNames.map((by) => ({
        by,
        filter: random.pick([everyAttestation, ...narrow()]),
        page: 1,
        size: 50,
      })),
      holdings: made.slice(0, 3).map((each) => ({
        role: random.pick(['recipient', 'attester']),
        schema: schemaKeyOf(each),
        attesters: random.pick([null, [parseAddress(each.attester)].filter((attester) => attester !== null)]),
        fields: [],
        attestedFrom: random.pick([null, each.attestTimestamp]),
        attestersMin: random.integer(1, 2),
      })),
      size: random.integer(1, 9),
    },
  }
}

/** A filter by some of what an attestation has, which it passes unless it is revoked or younger. */
function narrowBy(attestation: StoredAttestation, at: number, random: Random): AttestationFilter {
  const { key, attester, attestTimestamp, detail, portal } = attestation
  const [recipient = null] = recipientsOf(attestation)
  const members: readonly Partial<AttestationFilter>[] = [
    { schema: schemaKeyOf(attestation) },
    { attester: parseAddress(attester) },
    { recipient: recipientFilter(recipient) },
    { chainId: key.chainId },
    { protocol: key.protocol },
    { revoked: random.chance(0.5) },
    { expired: { at, is: random.chance(0.5) } },
    { validAt: random.pick([at, attestTimestamp]) },
    { attestedFrom: attestTimestamp },
    { attestedBefore: attestTimestamp + random.integer(0, 1) },
    { revokedFrom: random.pick([at, attestTimestamp]) },
    { revokedBefore: random.pick([at, attestTimestamp]) + random.integer(0, 1) },
    { linkedAttestations: [key] },
    { recipientHolds: { schema: schemaKeyOf(attestation), attester: null, valid: { kind: 'now', at } } },
    { attesterHolds: { schema: schemaKeyOf(attestation), attester: null, valid: { kind: 'now', at } } },
    { indexingValue: (JSON.parse(detail?.indexingValueJson ?? '""') as string) || null },
    { portal },
  ]
  return { ...everyAttestation, ...random.pick(members), ...random.pick(members) }
}

function schemaKeyOf({ key, schemaId }: StoredAttestation): RecordKey {
  return { ...key, localId: schemaId }
}

function recipientFilter(text: string | null): AttestationFilter['recipient'] {
  if (text === null) return null
  const address = parseAddress(text)
  return address === null ? { kind: 'value', value: text } : { kind: 'address', address }
}
