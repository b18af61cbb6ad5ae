import type { DecodePayload } from '../../model/decodedPayload.ts'
import { addressRoles, kindsOfRole, listKind, type AddressRole } from '../layout/listKinds.ts'
import { countClass } from '../layout/countClass.ts'
import { clampTimestamp, encodeCounts, rankLevels } from '../layout/rankSpans.ts'
import type { Reads, SqlRow } from '../port/reads.ts'
import { findFieldMiscounts } from './recountFields.ts'

/** What a test tells of its database, so that one set of statements recounts both. */
export interface RecountOptions {
  /** The distinct recipients of the attestations `a`, as the column `value` of `r`; goes into a FROM clause. */
  readonly recipients: string
  readonly decodePayload: DecodePayload
}

/**
 * Counts everything that is counted of the records anew, by statements that the writer never runs, and returns what the
 * stored tables say otherwise: the independent check of the audit, which makes its shadow by the writer's own code.
 */
export async function findMiscounts(reads: Reads, options: RecountOptions): Promise<string[]> {
  const found: string[] = []
  for (const [table, stored, recounted] of countsOf(reads, options)) {
    for (const [one, other, is] of [
      [stored, recounted, 'stored'],
      [recounted, stored, 'expected'],
    ] as const) {
      const rows = await reads.all(`SELECT * FROM (${one} EXCEPT ${other}) AS d LIMIT 3`)
      found.push(...rows.map((row) => `${table} ${is}: ${describeRow(row)}`))
    }
  }
  const classes = await reads.all<[number, number]>('SELECT attestation_count, count_class FROM schema')
  found.push(
    ...classes.filter(([count, own]) => countClass(count) !== own).map((row) => `class: ${describeRow(row)}`),
  )
  return [
    ...found,
    ...(await findMislistings(reads, options)),
    ...(await findFieldMiscounts(reads, options.decodePayload)),
  ]
}

/** For each table: its rows, and the rows that the records give. */
function countsOf(
  { dialect }: Reads,
  { recipients }: RecountOptions,
): readonly (readonly [table: string, stored: string, recounted: string])[] {
  const registered = dialect.flag('registered', true)
  const sums = (columns: string) =>
    columns
      .split(', ')
      .map((column) => `CAST(sum(${column}) AS bigint)`)
      .join(', ')
  const isSelf = '(r.value = a.attester_id)'
  const oneIf = (condition: string) => `CASE WHEN ${condition} THEN 1 ELSE 0 END`
  return [
    [
      'schema_hour',
      'SELECT hour, schema_id, count FROM schema_hour',
      'SELECT attest_timestamp / 3600, schema_id, count(*) FROM attestation GROUP BY 1, 2',
    ],
    [
      'schema_attester',
      'SELECT schema_id, attester, count FROM schema_attester',
      'SELECT schema_id, d.bytes, count(*) FROM attestation JOIN address d ON d.id = attester_id GROUP BY 1, 2',
    ],
    [
      'protocol_count',
      'SELECT chain_id, protocol, schema_count, attestation_count, revocation_count FROM protocol_count',
      `SELECT chain_id, protocol, ${sums('s, a, r')} FROM (SELECT chain_id, protocol, 1 AS s, 0 AS a, 0 AS r ` +
        `FROM schema WHERE ${registered} UNION ALL SELECT chain_id, protocol, 0, 1, ${oneIf('revoke_timestamp IS NOT NULL')} ` +
        'FROM attestation) AS u GROUP BY 1, 2',
    ],
    [
      'protocol_day',
      'SELECT chain_id, protocol, day, schema_count, attestation_count FROM protocol_day',
      `SELECT chain_id, protocol, day, ${sums('s, a')} FROM (SELECT chain_id, protocol, register_timestamp / 86400 AS day, ` +
        `1 AS s, 0 AS a FROM schema WHERE ${registered} UNION ALL ` +
        'SELECT chain_id, protocol, attest_timestamp / 86400, 0, 1 FROM attestation) AS u GROUP BY 1, 2, 3',
    ],
    [
      'anchor_count',
      'SELECT chain_id, kind, count FROM anchor_count',
      'SELECT c.chain_id, kind, count(*) FROM anchor n JOIN chain c ON c.ordinal = n.id >> 53 GROUP BY 1, 2',
    ],
    [
      'account_anchor',
      'SELECT account, chain_id, kind, count FROM account_anchor',
      'SELECT account, c.chain_id, kind, count(*) FROM anchor n JOIN chain c ON c.ordinal = n.id >> 53 ' +
        'WHERE account IS NOT NULL GROUP BY 1, 2, 3',
    ],
    [
      'address',
      'SELECT id, schemas_created, created, received_other, received_self FROM address',
      `SELECT id, ${sums('s, c, o, f')} FROM (SELECT id, 0 AS s, 0 AS c, 0 AS o, 0 AS f FROM address UNION ALL ` +
        `SELECT registrant_id, 1, 0, 0, 0 FROM schema WHERE ${registered} UNION ALL ` +
        'SELECT attester_id, 0, 1, 0, 0 FROM attestation UNION ALL ' +
        `SELECT r.value, 0, 0, ${oneIf(`NOT ${isSelf}`)}, ${oneIf(isSelf)} FROM ${recipients}) AS u GROUP BY id`,
    ],
    [
      'schema',
      'SELECT id, attestation_count, attester_count FROM schema',
      'SELECT s.id, count(a.id), count(DISTINCT a.attester_id) FROM schema s ' +
        'LEFT JOIN attestation a ON a.schema_id = s.id GROUP BY s.id',
    ],
    [
      'chain',
      'SELECT chain_id, schema_count, attestation_count, revocation_count, undecodable_count FROM chain',
      `SELECT c.chain_id, (SELECT count(*) FROM schema WHERE ${registered} AND chain_id = c.chain_id), ` +
        '(SELECT count(*) FROM attestation WHERE chain_id = c.chain_id), ' +
        '(SELECT count(revoke_timestamp) FROM attestation WHERE chain_id = c.chain_id), ' +
        '(SELECT count(*) FROM undecodable WHERE id >> 53 = c.ordinal) FROM chain c',
    ],
    [
      'index_state',
      'SELECT attestation_count, schema_count FROM index_state',
      `SELECT (SELECT count(*) FROM attestation), (SELECT count(*) FROM schema WHERE ${registered})`,
    ],
    ...(['chain', 'schema'] as const).map((by): readonly [string, string, string] => [
      dialect.received(by),
      `SELECT address_id, ${oneIf(dialect.flag('is_self', true))}, ${by}_id, attest_timestamp, CAST(id AS text) ` +
        `FROM ${dialect.received(by)}`,
      `SELECT r.value, ${oneIf(isSelf)}, a.${by}_id, a.attest_timestamp, CAST(a.id AS text) FROM ${recipients}`,
    ]),
  ]
}

/** Finds what the counts of parts of lists and the rank trees say otherwise than the records. */
async function findMislistings(reads: Reads, options: RecountOptions): Promise<string[]> {
  const [[threshold]] = (await reads.all<[number]>('SELECT rank_threshold FROM index_state')) as [[number]]
  const expected = new Set<string>()
  for (const list of (await listsOf(reads, options)).values()) {
    if (list.timestamps.length <= threshold) continue
    const { kind, owner, timestamps } = list
    expectTree(expected, threshold, kind, owner, 0, timestamps)
    for (const part of list.parts.values()) {
      expected.add(`count ${part.kind} ${owner} ${part.scope}: ${part.timestamps.length}`)
      if (part.timestamps.length > threshold) {
        expectTree(expected, threshold, part.kind, owner, part.scope, part.timestamps)
      }
    }
  }
  const counts = await reads.all<[number, number, number, number]>(
    'SELECT kind, owner_id, scope_id, count FROM list_count',
  )
  const nodes = await reads.all<[number, number, number, number, number, Uint8Array]>(
    'SELECT kind, owner_id, scope_id, level, prefix, counts FROM rank_node',
  )
  const stored = new Set([
    ...counts.map(([kind, owner, scope, count]) => `count ${kind} ${owner} ${scope}: ${count}`),
    ...nodes.map(([kind, owner, scope, level, prefix, bytes]) =>
      describeNode(kind, owner, scope, level, prefix, bytes),
    ),
  ])
  return [
    ...stored
      .difference(expected)
      .keys()
      .map((line) => `stored: ${line}`),
    ...expected
      .difference(stored)
      .keys()
      .map((line) => `expected: ${line}`),
  ]
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
async function listsOf(
  reads: Reads,
  { recipients }: RecountOptions,
): Promise<ReadonlyMap<string, CountedList>> {
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
  >(`SELECT a.attest_timestamp, a.chain_id, a.schema_id, a.attester_id, r.value FROM ${recipients}`)) {
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
