import { deepEqual, equal } from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { createTestServer } from '@attestry/server/testing/graphqlServer.ts'
import { listenLocally } from '@attestry/server/pipeline/testing/sendRaw.ts'

/**
 * `npm run test:apollo`: Apollo Client reads pages, walks a list and recognises errors. It is installed only beside
 * this file, since it takes 31 MB. `npm test` runs smaller clients (clients.test.ts).
 */

interface ApolloLink {
  concat(next: ApolloLink): ApolloLink
}

/** The part of `@apollo/client/link/persisted-queries` that is used. */
interface PersistedQueries {
  readonly PersistedQueryLink: new (options: {
    sha256: (text: string) => string
    useGETForHashedQueries: boolean
  }) => ApolloLink
}

/** The part of `@apollo/client` that is used. */
interface Apollo {
  readonly ApolloClient: new (options: object) => {
    query(request: object): Promise<{ readonly data: unknown; readonly error?: unknown }>
  }
  readonly HttpLink: new (options: { uri: string; fetch?: typeof fetch }) => ApolloLink
  readonly InMemoryCache: new () => object
  readonly CombinedGraphQLErrors: {
    is(error: unknown): error is {
      readonly errors: readonly { readonly extensions?: { readonly code?: string } }[]
    }
  }
  gql(document: string): object
}

const library = '@apollo/client'
const { ApolloClient, HttpLink, InMemoryCache, CombinedGraphQLErrors, gql } = (await import(
  library
)) as Apollo
const hashLibrary = '@apollo/client/link/persisted-queries'
const { PersistedQueryLink } = (await import(hashLibrary)) as PersistedQueries
const server = createTestServer()
try {
  const uri = `http://127.0.0.1:${await listenLocally(server.app)}/graphql`
  const client = new ApolloClient({ link: new HttpLink({ uri }), cache: new InMemoryCache() })
  const ask = async (document: string, variables: object) => {
    const { data, error } = await client.query({ query: gql(document), variables, errorPolicy: 'all' })
    const errors = CombinedGraphQLErrors.is(error) ? error.errors : []
    return { data, codes: errors.map(({ extensions }) => extensions?.code) }
  }
  const id = (localId: string) => `onchain_evm_11155111_${localId}`

  const page = await ask('query ($page: Int!) { pagedAttestations(page: $page, size: 2) { total } }', {
    page: 2,
  })
  deepEqual(page, { data: { pagedAttestations: { __typename: 'PagedAttestations', total: 25 } }, codes: [] })

  const list = `query ($after: String) { attestations(filter: { revoked: false }, first: 2, after: $after) {
    pageInfo { endCursor } edges { node { id } } } }`
  type List = {
    attestations: { pageInfo: { endCursor: string }; edges: readonly { node: { id: string } }[] }
  }
  const first = (await ask(list, {})).data as List
  const second = (await ask(list, { after: first.attestations.pageInfo.endCursor })).data as List
  deepEqual(
    second.attestations.edges.map(({ node }) => node.id),
    [id('0x17'), id('0x16')],
  )

  const record = 'query ($id: String!) { attestation(id: $id) { id } }'
  deepEqual(await ask(record, { id: id('0xff') }), { data: { attestation: null }, codes: [] })
  deepEqual((await ask(record, { id: 'x' })).codes, ['BAD_USER_INPUT'])
  deepEqual((await ask('{ nothing }', {})).codes, ['GRAPHQL_VALIDATION_FAILED'])

  for (const useGETForHashedQueries of [false, true]) {
    const sent: string[] = []
    const noted: typeof fetch = (url, init) => {
      const text = `${url instanceof Request ? url.url : url.toString()}${typeof init?.body === 'string' ? init.body : ''}`
      sent.push(`${init?.method} ${/query(?:%20|\+| )Of/.test(text) ? 'text' : 'hash'}`)
      return fetch(url, init)
    }
    const link = new PersistedQueryLink({
      sha256: (text) => createHash('sha256').update(text).digest('hex'),
      useGETForHashedQueries,
    }).concat(new HttpLink({ uri, fetch: noted }))
    const hashing = new ApolloClient({ link, cache: new InMemoryCache() })
    // The second client would find what the first one taught the server.
    const name = useGETForHashedQueries ? 'OfGet' : 'OfPost'
    const query = gql(`query ${name}($id: String!) { attestation(id: $id) { attestationId } }`)
    for (const localId of ['0x1', '0x2', '0x3']) {
      const { data } = await hashing.query({ query, variables: { id: id(localId) } })
      deepEqual(data, { attestation: { __typename: 'Attestation', attestationId: localId } })
    }
    const byHash = useGETForHashedQueries ? 'GET hash' : 'POST hash'
    deepEqual(sent, [byHash, 'POST text', byHash, byHash])
  }
  equal(server.logged.length, 0)
  process.stdout.write('Apollo Client reads pages and lists, names documents by hash, and makes out errors\n')
} finally {
  await server.app.close()
}
