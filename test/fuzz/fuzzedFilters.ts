import fc from 'fast-check'
import { groupNames } from '@attestry/core/index/indexQueries.ts'

/** Values for filters: ids of schemas and attestations of the index, and addresses. */
export interface FilterMaterial {
  readonly schemaIds: readonly string[]
  readonly attestationIds: readonly string[]
  readonly addresses: readonly string[]
  /** The names of the fields of a schema. */
  readonly fieldNames: readonly string[]
}

type Pair = readonly [name: string, value: string]

/** Targets that filter and group attestations by the grammar of docs/api.md, mostly without a mistake. */
export function fuzzedFilters(
  { schemaIds, attestationIds, addresses, fieldNames }: FilterMaterial,
  value: fc.Arbitrary<string>,
): fc.Arbitrary<string> {
  const mostly = (good: fc.Arbitrary<string>, odd: fc.Arbitrary<string> = value) =>
    fc.oneof({ weight: 7, arbitrary: good }, { weight: 1, arbitrary: odd })
  const pair = (name: string, values: fc.Arbitrary<string>): fc.Arbitrary<Pair> =>
    fc.tuple(fc.constant(name), values)
  const schema = mostly(fc.constantFrom(...schemaIds))
  const address = mostly(fc.constantFrom(...addresses))
  const path = fieldPath(fieldNames)
  const listOf = (item: fc.Arbitrary<string>) =>
    mostly(fc.array(item, { maxLength: 110 }).map((items) => JSON.stringify(items)))
  const operand = mostly(fc.constantFrom('true', 'false', '0', '007', '-1', '1000000000', 'subject', ''))
  const condition = fc.oneof(
    fc.tuple(path, operand).map(([text, given]): Pair => [`field[${text}]`, given]),
    fc.tuple(path, listOf(operand)).map(([text, given]): Pair => [`field[${text}][in]`, given]),
    fc
      .tuple(path, fc.constantFrom('gt', 'gte', 'lt', 'lte', 'contains', 'startsWith', 'equals', ''), operand)
      .map(([text, operator, given]): Pair => [`field[${text}][${operator}]`, given]),
  )
  const relation = fc.oneof(
    pair('linkedAttestation', mostly(fc.constantFrom(...attestationIds))),
    pair('linkedAttestation[in]', listOf(fc.constantFrom(...attestationIds))),
    ...['recipientHolds', 'attesterHolds'].map((name) => pair(name, schema)),
    pair('attesterHops', fc.constantFrom('1', '2')),
    ...['recipientHolds[attester]', 'attesterHolds[attester]'].map((name) => pair(name, address)),
  )
  const other = fc.oneof(
    pair('attester', address),
    pair('recipient', address),
    pair('revoked', fc.constantFrom('true', 'false')),
    pair('expired', fc.constantFrom('true', 'false')),
    ...['attestedFrom', 'revokedFrom', 'revokedBefore'].map((name) =>
      pair(name, fc.constantFrom('0', '1700000000', '9007199254740991')),
    ),
    pair('page', fc.constantFrom('1', '2', '100', '2147483647')),
    pair('size', fc.constantFrom('1', '100', '101')),
    pair('cursor', fc.constant('*')),
  )
  const by = mostly(
    fc.oneof(
      fc.constantFrom(...groupNames),
      path.map((text) => `field[${text}]`),
    ),
  )
  const place = fc.oneof(
    fc
      .constantFrom(
        '/scan/attestations',
        '/scan/attestations',
        '/scan/export/attestations.ndjson',
        '/scan/events',
      )
      .map((each) => ({ path: each, own: [] as readonly Pair[] })),
    by.map((key) => ({ path: '/scan/aggregate/attestations', own: [['by', key]] as readonly Pair[] })),
  )
  return fc
    .tuple(
      place,
      fc.array(pair('schemaId', schema), { maxLength: 1 }),
      fc.array(fc.oneof(condition, condition, relation, other), { maxLength: 5 }),
    )
    .map(([{ path: base, own }, ofSchema, pairs]) => {
      const query = [...own, ...ofSchema, ...pairs].map((each) => each.map(encode).join('='))
      return `${base}?${query.join('&')}`
    })
}

/** Paths of fields that exist, of others, and texts that are no path. */
function fieldPath(names: readonly string[]): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...names) },
    {
      weight: 2,
      arbitrary: fc.constantFrom(
        '',
        'contentId',
        'person.name',
        'a\\.b',
        '愛',
        'x'.repeat(1_001),
        '__proto__',
      ),
    },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
    { weight: 1, arbitrary: fc.stringMatching(/^[a-c.[\]\\]{0,8}$/) },
  )
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}
