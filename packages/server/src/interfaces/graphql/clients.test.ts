import { cacheExchange, Client, fetchExchange, gql } from '@urql/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listenLocally } from '../../pipeline/testing/sendRaw.ts'
import { createTestServer } from '../../testing/graphqlServer.ts'

/**
 * Requests of a widely used client, and its reading of the answers. `npm run test:apollo` does the same with another.
 */

const server = createTestServer()
let url = ''
beforeAll(async () => {
  url = `http://127.0.0.1:${await listenLocally(server.app)}/graphql`
})
afterAll(() => server.app.close())

const pageQuery = `query Page($page: Int!, $size: Int = 2) { pagedAttestations(page: $page, size: $size) {
  total attestations { id attester schema { id name } } } }`
const listQuery = `query List($filter: AttestationFilter, $after: String) { attestations(filter: $filter, first: 2, after: $after) {
  totalCount pageInfo { hasNextPage endCursor } edges { cursor node { id } } } }`
const recordQuery = 'query Record($id: String!) { attestation(id: $id) { id } }'
const id = (localId: string) => `onchain_evm_11155111_${localId}`

interface List {
  readonly attestations: {
    readonly totalCount: number
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string }
    readonly edges: readonly { readonly node: { readonly id: string } }[]
  }
}

describe.each([
  ['urql by POST', () => createUrql(false)],
  ['urql by GET', () => createUrql('force')],
] as const)('%s', (_name, create) => {
  test('reads pages by variables', async () => {
    const { query } = create()
    const result = await query(pageQuery, { page: 2 })
    expect(result.error).toBeUndefined()
    expect(result.data).toMatchObject({
      pagedAttestations: {
        total: 25,
        attestations: [{ id: id('0x17'), schema: { name: 'Schema 1' } }, { id: id('0x16') }],
      },
    })
  })

  test('walks a filtered list', async () => {
    const { query } = create()
    const first = (await query(listQuery, { filter: { revoked: false } })).data as List
    expect(first.attestations).toMatchObject({ totalCount: 23, pageInfo: { hasNextPage: true } })
    const second = (
      await query(listQuery, { filter: { revoked: false }, after: first.attestations.pageInfo.endCursor })
    ).data as List
    expect(second.attestations.edges.map(({ node }) => node.id)).toEqual([id('0x17'), id('0x16')])
  })

  test('answers an unknown record with null and a mistake with an error', async () => {
    const { query } = create()
    expect(await query(recordQuery, { id: id('0xff') })).toMatchObject({
      data: { attestation: null },
      error: undefined,
    })
    const wrong = await query(recordQuery, { id: 'x' })
    expect(wrong.codes).toEqual(['BAD_USER_INPUT'])
    const missing = await query(recordQuery, {})
    expect(missing.codes).toEqual(['BAD_USER_INPUT'])
    const unknown = await query('{ nothing }', {})
    expect(unknown.codes).toEqual(['GRAPHQL_VALIDATION_FAILED'])
  })
})

interface Result {
  readonly data: unknown
  readonly error: unknown
  /** Of the errors that the client made out in the answer. */
  readonly codes: readonly unknown[]
}

interface TestClient {
  query(document: string, variables: Record<string, unknown>): Promise<Result>
}

function createUrql(preferGetMethod: false | 'force'): TestClient {
  const client = new Client({ url, exchanges: [cacheExchange, fetchExchange], preferGetMethod })
  return {
    async query(document, variables) {
      const { data, error } = await client.query<unknown>(gql(document), variables).toPromise()
      return { data, error, codes: error?.graphQLErrors.map(({ extensions }) => extensions['code']) ?? [] }
    },
  }
}
