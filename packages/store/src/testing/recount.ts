import type { DecodePayload } from '@attestry/core/model/decodedPayload.ts'
import { countedColumns, listCounts, recipientsOf, recordTables } from '../building/countTables.ts'
import { addressRoles, kindsOfRole, listKind, type AddressRole } from '../layout/listKinds.ts'
import { countClass } from '../layout/countClass.ts'
import { clampTimestamp, encodeCounts, rankLevels } from '../layout/rankSpans.ts'
import type { DerivedTable } from '../port/projection.ts'
import type { Reads, SqlRow } from '../port/reads.ts'
import { differences, findFieldMiscounts } from './recountFields.ts'

/**
 * Finds what a store derives otherwise than the builder would, by its statements and, as small stores allow, by counting
 * lists, trees and fields in memory.
 */
export async function findMiscounts(reads: Reads, decodePayload: DecodePayload): Promise<string[]> {
  const { dialect } = reads
  const found: string[] = []
  for (const derived of [...recordTables(dialect), listCounts(dialect)]) {
    found.push(...(await findOthers(reads, derived, derived.columns)))
  }
  for (const counted of countedColumns(dialect)) {
    const select = `SELECT * FROM (${counted.select}) AS c WHERE ${counted.columns.join(' + ')} > 0`
    found.push(...(await findOthers(reads, { ...counted, select }, [counted.key, ...counted.columns])))
  }
  const classes = await reads.all<[number, number]>('SELECT attestation_count, count_class FROM schema')
  found.push(
    ...classes.filter(([count, own]) => countClass(count) !== own).map((row) => `class: ${describeRow(row)}`),
  )
  return [...found, ...(await findMislistings(reads)), ...(await findFieldMiscounts(reads, decodePayload))]
}

/** The rows of a table that are not those of its select, and the other way round. */
async function findOthers(
  reads: Reads,
  { table, select }: DerivedTable,
  columns: readonly string[],
): Promise<string[]> {
  const { hex } = reads.dialect
  const texts = columns.map((column) => (column === 'attester' ? hex(column) : `CAST(${column} AS text)`))
  const rowsOf = async (rows: string) =>
    new Set(
      (await reads.all(`WITH r (${columns.join(', ')}) AS (${rows}) SELECT ${texts.join(', ')} FROM r`)).map(
        describeRow,
      ),
    )
  const stored = await rowsOf(`SELECT ${columns.join(', ')} FROM ${table}`)
  const expected = await rowsOf(select)
  // Rows of dictionaries without a count are in no select.
  const isCounted = (row: string) => !/^[^,]*(?:, 0)+$/.test(row)
  return differences(new Set([...stored].filter(isCounted)), expected).map((line) => `${table}: ${line}`)
}

/** Finds what the rank trees say otherwise than the records. */
async function findMislistings(reads: Reads): Promise<string[]> {
  const [[threshold]] = (await reads.all<[number]>('SELECT rank_threshold FROM index_state')) as [[number]]
  const expected = new Set<string>()
  for (const list of (await listsOf(reads)).values()) {
    if (list.timestamps.length <= threshold) continue
    const { kind, owner, timestamps } = list
    expectTree(expected, threshold, kind, owner, 0, timestamps)
    for (const part of list.parts.values()) {
      if (part.timestamps.length > threshold) {
        expectTree(expected, threshold, part.kind, owner, part.scope, part.timestamps)
      }
    }
  }
  const nodes = await reads.all<[number, number, number, number, number, Uint8Array]>(
    'SELECT kind, owner_id, scope_id, level, prefix, counts FROM rank_node',
  )
  const stored = new Set([
    ...nodes.map(([kind, owner, scope, level, prefix, bytes]) =>
      describeNode(kind, owner, scope, level, prefix, bytes),
    ),
  ])
  return differences(stored, expected)
}

interface CountedList {
  readonly kind: number
  readonly owner: number
  readonly timestamps: number[]
  readonly parts: Map<
    string,
    { readonly kind: number; readonly scope: number; readonly timestamps: number[] }
  >
}

/** Gathers the entries of every list from the records. */
async function listsOf(reads: Reads): Promise<ReadonlyMap<string, CountedList>> {
  const lists = new Map<string, CountedList>()
  const enter = (kind: number, owner: number, timestamp: number) => {
    const list: CountedList = lists.get(`${kind} ${owner}`) ?? {
      kind,
      owner,
      timestamps: [],
      parts: new Map(),
    }
    list.timestamps.push(timestamp)
    lists.set(`${kind} ${owner}`, list)
    return list
  }
  const enterRole = (role: AddressRole, owner: number, [timestamp, chainId, schemaId]: readonly number[]) => {
    const { all, onChain, underSchema } = kindsOfRole[role]
    const { parts } = enter(all, owner, timestamp ?? 0)
    for (const [kind, scope = 0] of [
      [onChain, chainId],
      [underSchema, schemaId],
    ] as const) {
      const part = parts.get(`${kind} ${scope}`) ?? { kind, scope, timestamps: [] }
      part.timestamps.push(timestamp ?? 0)
      parts.set(`${kind} ${scope}`, part)
    }
  }
  const [created, receivedOther, receivedSelf] = addressRoles
  for (const [timestamp, chainId, schemaId, attester] of await reads.all<[number, number, number, number]>(
    'SELECT attest_timestamp, chain_id, schema_id, attester_id FROM attestation',
  )) {
    enter(listKind.attestations, 0, timestamp)
    enter(listKind.attestationsOfSchema, schemaId, timestamp)
    enterRole(created, attester, [timestamp, chainId, schemaId])
  }
  for (const [timestamp, chainId, schemaId, attester, recipient] of await reads.all<
    [number, number, number, number, number]
  >(
    `SELECT a.attest_timestamp, a.chain_id, a.schema_id, a.attester_id, r.value FROM ${recipientsOf(reads.dialect)}`,
  )) {
    const role = attester === recipient ? receivedSelf : receivedOther
    enterRole(role, recipient, [timestamp, chainId, schemaId])
  }
  for (const [timestamp, registrant] of await reads.all<[number, number]>(
    `SELECT register_timestamp, registrant_id FROM schema WHERE ${reads.dialect.flag('registered', true)}`,
  )) {
    enter(listKind.schemas, 0, timestamp)
    enter(listKind.schemasOfRegistrant, registrant, timestamp)
  }
  for (const [valueId, timestamp] of await reads.all<[number, number]>(
    'SELECT value_id, attest_timestamp FROM field_posting',
  )) {
    enter(listKind.fieldValue, valueId, timestamp)
  }
  return lists
}

/** Expects a node wherever more entries than the threshold lie in a span of a level. */
function expectTree(
  expected: Set<string>,
  threshold: number,
  kind: number,
  owner: number,
  scope: number,
  timestamps: readonly number[],
): void {
  const clamped = timestamps.map(clampTimestamp)
  for (const [level, { seconds, children }] of rankLevels.entries()) {
    const spans = Map.groupBy(clamped, (timestamp) => Math.floor(timestamp / (seconds * children)))
    for (const [prefix, within] of spans) {
      if (within.length <= threshold) continue
      const counts = new Uint32Array(children)
      for (const timestamp of within) {
        const child = Math.floor(timestamp / seconds) % children
        counts[child] = (counts[child] ?? 0) + 1
      }
      expected.add(describeNode(kind, owner, scope, level, prefix, encodeCounts(counts)))
    }
  }
}

function describeNode(
  kind: number,
  owner: number,
  scope: number,
  level: number,
  prefix: number,
  counts: Uint8Array,
): string {
  return `node ${kind} ${owner} ${scope} ${level} ${prefix}: ${Buffer.from(counts).toString('hex')}`
}

function describeRow(row: SqlRow): string {
  return row
    .map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value)))
    .join(', ')
}
