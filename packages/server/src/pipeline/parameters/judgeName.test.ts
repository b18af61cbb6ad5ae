import { describe, expect, test } from 'vitest'
import { attestationListingParameters } from '../../interfaces/rest/answerAttestationListing.ts'
import { sdkAttestationParameters } from '../../interfaces/sdk/sdkParameters.ts'
import { chainIdParameter, recordIdParameter, schemaFilterParameter } from './idParameters.ts'
import { createNameJudge } from './judgeName.ts'
import { keywordParameter, pageParameter, sizeParameter } from './listingParameters.ts'
import { schemaFilterParameters } from './schemaFilterParameters.ts'
import { choiceParameter } from './choiceParameter.ts'

const paging = { page: pageParameter, size: sizeParameter }
const type = choiceParameter({ name: 'type', description: 'Role.', choices: ['created', 'received'] })
const judges = {
  attestations: createNameJudge(attestationListingParameters),
  sdk: createNameJudge(sdkAttestationParameters),
  schemas: createNameJudge({ ...schemaFilterParameters, keyword: keywordParameter('Text.'), ...paging }),
  address: createNameJudge({ type, chainId: chainIdParameter, schemaId: schemaFilterParameter, ...paging }),
  paged: createNameJudge(paging),
  record: createNameJudge({ id: recordIdParameter('Id.') }),
  nothing: createNameJudge({}),
}

/** Names that reach no judge on these paths, which know them. */
const knownTo = new Map([
  ['id', ['sdk']],
  ['mode', ['sdk', 'attestations']],
  ['network', ['attestations', 'schemas', 'address']],
])

const meanings: [path: keyof typeof judges, name: string, meant: string][] = [
  ...[
    'schema_id',
    'SchemaId',
    'SCHEMAID',
    'schema-id',
    'schemaid',
    'schemaIds',
    'schemId',
    'schema',
    'schemaUid',
  ].map((name): [keyof typeof judges, string, string] => ['attestations', name, 'schemaId']),
  ...['schemaId[in]', 'schemaId[]', 'schemaId_in', 'where[schemaId]', 'filter.schemaId', 'fullSchemaId'].map(
    (name): [keyof typeof judges, string, string] => ['attestations', name, 'schemaId'],
  ),
  ...['limit', 'first', 'take', 'per_page', 'pageSize', 'page_size', 'page[size]', 'sizes', 'siez'].map(
    (name): [keyof typeof judges, string, string] => ['attestations', name, 'size'],
  ),
  ...['attestor', 'atester', 'sender', 'issuer', 'creator', 'registrant', 'attesters'].map(
    (name): [keyof typeof judges, string, string] => ['attestations', name, 'attester'],
  ),
  ...['recipients', 'receiver', 'recepient', 'recipient_contains', 'Recipient'].map(
    (name): [keyof typeof judges, string, string] => ['attestations', name, 'recipient'],
  ),
  ['attestations', 'skip', 'page or cursor'],
  ['attestations', 'offset', 'page or size'],
  ['attestations', 'after', 'cursor'],
  ['attestations', 'to', 'recipient or attestedBefore'],
  ['attestations', 'from', 'attester or attestedFrom'],
  ['attestations', 'revocation_time', 'revokedFrom or revokedBefore'],
  ['attestations', 'uid', 'keyword'],
  ['attestations', 'ids', 'keyword'],
  ['attestations', 'q', 'keyword'],
  ['attestations', 'chain', 'chainId'],
  ['attestations', 'Network', 'chainId'],
  ['attestations', 'chain_id', 'chainId'],
  ['attestations', 'refUID', 'linkedAttestation'],
  ['attestations', 'linkedAttestationIn', 'linkedAttestation[in]'],
  ['attestations', 'indexingvalue', 'indexingValue'],
  ['sdk', 'pageSize', 'size'],
  ['sdk', 'registrant', 'attester'],
  ['sdk', 'uid', 'id'],
  ['schemas', 'schemaId', 'keyword'],
  ['schemas', 'attester', 'registrant'],
  ['address', 'receiver', 'type'],
  ['address', 'to', 'type'],
]

describe('a parameter that is unknown', () => {
  test.each(meanings)(
    'on the path of %s is refused where it means another: %s is %s',
    (path, name, meant) => {
      expect(judges[path](name)).toBe(`'${name}' is no parameter of this path; use ${meant}.`)
    },
  )

  test('is refused where it holds filters, or asks for an order', () => {
    for (const name of ['where', 'filter', 'filters', 'where[x]']) {
      expect(judges.attestations(name)).toMatch(
        /each filter is a parameter of its own, such as schemaId, attester/,
      )
      expect(judges.paged(name)).toMatch(/no parameter of this path; its parameters are page, size\./)
    }
    for (const name of ['orderBy', 'sort', 'order_by', 'sortBy', 'orderDirection', 'orderBy[time]']) {
      expect(judges.attestations(name)).toMatch(/ its rows have one order; leave it out\./)
    }
  })

  test('is refused where it is a filter of other paths, and would be ignored here', () => {
    for (const name of [
      'revoked',
      'attester',
      'recipient',
      'recipients',
      'valid',
      'field[a]',
      'keyword',
      'isRevoked',
    ]) {
      expect(judges.address(name)).toMatch(
        /no parameter of this path; its parameters are type, chainId, schemaId, page/,
      )
    }
    expect(judges.nothing('chainId')).toBe("'chainId' is no parameter of this path; it takes none.")
    expect(judges.record('chainId')).toBeNull()
  })

  test.each([
    ...[
      'id',
      'network',
      'mode',
      'parseOffChainData',
      '_',
      't',
      'v',
      'cb',
      'nocache',
      'timestamp',
      'utm_source',
    ],
    ...[
      'foo',
      'x',
      'ref',
      'fbclid',
      'api_key',
      'apikey',
      'token',
      'key',
      'lang',
      'format',
      'version',
      'callback',
    ],
    ...['', '[', ']', '[]', '.', '__proto__', 'constructor', 'toString', '愛', '\0', 'x'.repeat(10_000)],
  ])('is ignored where it means nothing here: %j', (name) => {
    const strangers = Object.entries(judges).filter(([path]) => knownTo.get(name)?.includes(path) !== true)
    expect(strangers.map(([, judge]) => judge(name))).toEqual(strangers.map(() => null))
  })
})
