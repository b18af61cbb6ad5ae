import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { viewNames } from '../layout/sqlViews.ts'
import { exportOf, type TestReader } from './storeFactory.ts'

/** A row of a view as the database gives it: times as ISO 8601, JSON as text. */
export type Row = Readonly<Record<string, unknown>>

/** Reads the rows of a view in the order of a column. */
export type QueryView = (view: string, order: string) => Promise<readonly Row[]>

type Line = Readonly<Record<string, unknown>>

/**
 * Compares every view of an index with its export, and the columns with those that docs/sql.md names.
 * @param heldText a text as the view has it, which is another one if SQL cannot hold the text.
 */
export async function expectViews(
  reader: TestReader,
  query: QueryView,
  heldText: (text: string) => string,
): Promise<void> {
  const lines = (await exportOf(reader, true)).map((line) => JSON.parse(line) as Line)
  const ofKind = (kind: string) => lines.filter((line) => line['type'] === kind)
  const byId = <Item extends Line | Row>(items: readonly Item[]) =>
    items.toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1))

  const schemas = ofKind('schema')
  expect(byId((await query('schemas', 'id')).map((row) => pick(row, schemaMembers)))).toEqual(
    byId(schemas.map((line) => schemaRow(line, heldText))),
  )
  const attestations = ofKind('attestation')
  expect(byId((await query('attestations', 'id')).map((row) => pick(row, attestationMembers)))).toEqual(
    byId(attestations.map((line) => attestationRow(line))),
  )
  const revoked = attestations.filter((line) => line['revoked'] === true)
  const revocations = await query('revocations', 'attestation_id')
  expect(sorted(revocations.map((row) => row['attestation_id']))).toEqual(
    sorted(revoked.map((line) => line['id'])),
  )
  const chains = await reader.listChains()
  expect(
    (await query('chains', 'chain_id')).map((row) => [
      Number(row['chain_id']),
      row['name'],
      Number(row['attestation_count']),
      row['indexed_block'] === null ? null : Number(row['indexed_block']),
    ]),
  ).toEqual(
    chains.map(({ status, attestationCount }) => [
      status.chainId,
      status.name,
      attestationCount,
      status.indexedBlock,
    ]),
  )
  // Every posting of a field has an attestation, whose schema and chain stand beside.
  const known = new Map(attestations.map((line) => [idOf(line), line]))
  const fields = await query('fields', 'attestation_id')
  for (const row of fields) {
    expect(known.get(idOf({ id: row['attestation_id'], protocol: row['protocol'] }))?.['fullSchemaId']).toBe(
      row['schema_id'],
    )
    expect(row['value']).toBeTypeOf('string')
  }
  for (const view of viewNames) await expectDocumented(view, query)
}

/** Compares the columns of a view with those that docs/sql.md names. */
export async function expectDocumented(view: string, query: QueryView): Promise<void> {
  const docs = readFileSync(new URL('../../../../docs/sql.md', import.meta.url), 'utf8')
  const [row] = await query(view, '1')
  expect(row).toBeDefined()
  expect(Object.keys(row ?? {})).toEqual(documentedColumns(docs, view))
}

function sorted(ids: readonly unknown[]): readonly string[] {
  return ids.map(String).toSorted((a, b) => (a < b ? -1 : 1))
}

function idOf(item: Line | Row): string {
  return `${String(item['id'])} ${String(item['protocol'])}`
}

const schemaMembers = [
  'id',
  'protocol',
  'name',
  'registrant',
  'revocable',
  'attestation_count',
  'registered_at',
]

function schemaRow(line: Line, heldText: (text: string) => string): Row {
  return {
    id: line['id'],
    protocol: line['protocol'],
    name: heldText(String(line['name'])),
    registrant: String(line['registrant']).toLowerCase(),
    revocable: line['revocable'],
    attestation_count: Number(line['attestationCount']),
    registered_at: isoTime(line['registerTimestamp']),
  }
}

const attestationMembers = [
  'id',
  'protocol',
  'schema_id',
  'attester',
  'recipients',
  'attested_at',
  'valid_until',
  'revoked',
  'revoked_at',
  'linked_attestation',
  'data',
  'transaction_hash',
]

function attestationRow(line: Line): Row {
  return {
    id: line['id'],
    protocol: line['protocol'],
    schema_id: line['fullSchemaId'],
    attester: String(line['attester']).toLowerCase(),
    recipients: JSON.stringify((line['recipients'] as readonly string[]).map(withoutChecksum)),
    attested_at: isoTime(line['attestTimestamp']),
    valid_until: isoTime(line['validUntil']),
    revoked: line['revoked'],
    revoked_at: isoTime(line['revokeTimestamp']),
    linked_attestation: line['linkedAttestation'] === '' ? null : line['linkedAttestation'],
    data: line['data'],
    transaction_hash: line['transactionHash'],
  }
}

function withoutChecksum(text: string): string {
  return /^0x[0-9a-fA-F]{40}$/.test(text) ? text.toLowerCase() : text
}

export function isoTime(seconds: unknown): string | null {
  const number = Number(seconds ?? 0)
  return number > 0 && number <= 253_402_300_799
    ? new Date(number * 1_000).toISOString().replace('.000Z', 'Z')
    : null
}

/** The members of a row, with numbers and booleans as both databases mean them. */
export function pick(row: Row, names: readonly string[]): Row {
  return Object.fromEntries(
    names.map((name) => {
      const value = row[name]
      if (name === 'revoked' || name === 'revocable') return [name, Boolean(value)]
      if (name === 'profile') return [name, JSON.parse(String(value))]
      return [name, name.endsWith('_count') ? Number(value) : value]
    }),
  )
}

/** The columns in the table below the heading of a view. */
function documentedColumns(docs: string, view: string): readonly string[] {
  const section = docs.split(/^## /m).find((text) => text.startsWith(`attestry.${view}`)) ?? ''
  const cells = Array.from(section.matchAll(/^\| ((?:`[a-z_]+`(?:, )?)+) \|/gm), ([, cell]) => cell ?? '')
  return cells.flatMap((cell) => cell.replaceAll('`', '').split(', '))
}
