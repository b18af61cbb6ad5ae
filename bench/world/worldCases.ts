import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import type { Attestation } from '@attestry/core/model/records.ts'
import { createRandom } from '@attestry/test/simulator/random.ts'
import { pageQuery, postQuery } from '../graphqlRequests.ts'
import type { WorldChain, WorldKind } from './createWorldChain.ts'
import { frequentWord } from './shape.ts'

/** Requests of one kind, sent in turn. */
export interface WorldCase {
  readonly name: string
  readonly paths: readonly string[]
}

/** A listing: the path of its pages, to which a number is appended. */
export interface WorldListing {
  readonly name: string
  readonly pages: string
}

/** A request that is sent by itself. */
export interface SingleRequest {
  readonly name: string
  readonly path: string
  readonly body?: unknown
  /** The longest time that it may take; undefined without an aim. */
  readonly aimMs?: number | undefined
}

const pathCount = 1_500
const pageSize = 10

/** The requests for a share of the world, by their kinds. Random records are those of its history. */
export function createWorldRequests(world: readonly WorldChain[], share: number) {
  const random = createRandom(11)
  const kinds = world.flatMap((chain) => chain.kinds)
  const total = kinds.reduce((sum, { attestations }) => sum + attestations, 0)
  /** A kind, by its number of attestations. */
  const anyKind = (): WorldKind => {
    let left = random.integer(0, total - 1)
    return kinds.find(({ attestations }) => (left -= attestations) < 0) ?? kindNamed('campaign')
  }
  const kindNamed = (name: string): WorldKind => {
    const found = kinds.find((kind) => kind.name === name)
    if (found === undefined) throw new Error(`the world has no ${name}`)
    return found
  }
  const anyRecord = (kind = anyKind()): Attestation =>
    kind.attestation(random.integer(0, kind.attestations - 1))
  const anyId = (kind = anyKind()) => kind.attestationId(random.integer(0, kind.attestations - 1))
  const anySchema = (kind = anyKind()) => kind.schemaId(random.integer(0, kind.schemas - 1))
  const anyAddress = (kind?: WorldKind) => {
    const [recipient] = anyRecord(kind).recipients
    return recipient?.kind === 'address' ? checksumAddress(recipient.address) : busiest
  }
  const largest = kindNamed('verax 59144')
  const campaign = kindNamed('campaign')
  const coinbase = kindNamed('coinbase')
  const base = kindNamed('eas 8453')
  const busiest = checksumAddress(largest.firstAttester)
  const largestSchema = `schemaId=${largest.schemaId(0)}`
  const frequent = `schemaId=${campaign.schemaId(0)}&field[tier]=${frequentWord}`
  const many = (name: string, path: () => string): WorldCase => ({
    name,
    paths: [...new Set(Array.from({ length: pathCount }, path))],
  })
  const addresses = (kind: WorldKind) => [...new Set(Array.from({ length: 10_000 }, () => anyAddress(kind)))]
  const holders = (name: string, kind: WorldKind): SingleRequest => ({
    name,
    path: '/scan/holders',
    body: { addresses: addresses(kind), schemaId: kind.schemaId(0) },
    aimMs: 1_000,
  })
  const groups = (name: string, by: string): SingleRequest => ({
    name: `groups: ${name}`,
    path: `/scan/aggregate/attestations?by=${by}`,
    aimMs: 1_000,
  })

  const listings: readonly WorldListing[] = [
    { name: 'all attestations', pages: '/scan/attestations?page=' },
    { name: 'the largest schema', pages: `/scan/attestations?${largestSchema}&page=` },
    {
      name: 'the schema of the campaign',
      pages: `/scan/attestations?schemaId=${campaign.schemaId(0)}&page=`,
    },
    { name: 'the busiest attester', pages: `/scan/addresses/${busiest}/attestations?page=` },
    { name: 'a value that 40 % of a schema have', pages: `/scan/attestations?${frequent}&page=` },
    { name: 'all schemas', pages: '/scan/schemas?page=' },
    { name: 'all agents', pages: '/scan/agents?page=' },
  ]
  const cases: readonly WorldCase[] = [
    many('single attestation', () => `/scan/attestations/${anyId()}`),
    many('single schema', () => `/scan/schemas/${anySchema()}`),
    many(
      '20 attestations by ids',
      () => `/scan/attestations/by-ids?ids=${Array.from({ length: 20 }, () => anyId()).join()}`,
    ),
    many('attestations of any schema', () => `/scan/attestations?schemaId=${anySchema()}`),
    many('received by any account', () => `/scan/addresses/${anyAddress()}/attestations?type=received`),
    many('statistics of any account', () => `/scan/addresses/${anyAddress()}/statistics`),
    many(
      'an account under the largest schema',
      () => `/scan/attestations?${largestSchema}&recipient=${anyAddress(largest)}`,
    ),
    many(
      'a rare value of a field',
      () =>
        `/scan/attestations?schemaId=${campaign.schemaId(0)}&field[points]=${random.integer(1, 1_000_000)}`,
    ),
    many('revoked under a schema', () => `/scan/attestations?schemaId=${anySchema()}&revoked=true`),
    many('references to an attestation', () => `/scan/attestations?linkedAttestation=${anyId()}`),
    // Other filters reach 10,000 rows from either end by pages (docs/api.md, "Cost of a page").
    many(
      'one of 100 pages of a chain',
      () => `/scan/attestations?chainId=8453&page=${random.integer(1, 100)}`,
    ),
    many('search: an id', () => `/scan/search?keyword=${anyId()}`),
    many('search: an account', () => `/scan/search?keyword=${anyAddress()}`),
    many('search: words', () => `/scan/search?keyword=audit%20${random.integer(1, 1_000)}`),
    many('GraphQL: any page', () =>
      postQuery(pageQuery, { page: random.integer(1, Math.floor(total / pageSize)) }),
    ),
    many('EAS: newest 10 of an account', () =>
      postQuery(easQuery, { address: anyAddress(base) }, '/eas/8453/graphql'),
    ),
    many('feedback for an agent', () => `/scan/agents/8453:${random.integer(0, 9)}/feedback`),
    { name: 'latest attestations', paths: ['/scan/latest-attestations'] },
    { name: 'top schemas', paths: ['/scan/top-schemas'] },
    { name: 'trending schemas', paths: ['/scan/trending-schemas'] },
    { name: 'totals and counts by day', paths: ['/scan/stats?from=2026-10-01&before=2026-10-08'] },
  ]
  const singles: readonly SingleRequest[] = [
    groups('days of the largest schema', `day&${largestSchema}`),
    groups('attesters of the largest schema', `attester&${largestSchema}`),
    groups('values of a field of the campaign', `field[tier]&schemaId=${campaign.schemaId(0)}`),
    groups('recipients of the largest schema', `recipient&${largestSchema}`),
    groups('all attesters', 'attester'),
    holders('holders: 10,000 of Coinbase’s', coinbase),
    holders('holders: 10,000 of the largest schema', largest),
    {
      name: 'status of 10,000',
      path: '/scan/attestations/status',
      body: { ids: [...new Set(Array.from({ length: 10_000 }, () => anyId()))] },
      aimMs: 1_000,
    },
    {
      name: 'export of Coinbase’s living rows',
      path: `/scan/export/attestations.ndjson?schemaId=${coinbase.schemaId(0)}&revoked=false`,
      aimMs: 20_000 * share,
    },
    {
      name: 'the same as CSV with its values',
      path: `/scan/export/attestations.csv?schemaId=${coinbase.schemaId(0)}&revoked=false&include=decoded`,
      aimMs: 20_000 * share,
    },
  ]
  return { cases, listings, singles, anyPage: (rows: number) => random.integer(1, lastPage(rows)) }
}

/** The last page of a listing. */
export function lastPage(rows: number): number {
  return Math.max(1, Math.ceil(rows / pageSize))
}

/** Pages of a listing at random. */
export function casesOfListings(
  { listings, anyPage }: ReturnType<typeof createWorldRequests>,
  rowsOf: ReadonlyMap<string, number>,
): readonly WorldCase[] {
  return listings.map(({ name, pages }) => ({
    name: `any page of ${name}`,
    paths: [...new Set(Array.from({ length: pathCount }, () => `${pages}${anyPage(rowsOf.get(name) ?? 0)}`))],
  }))
}

const easQuery = `query ($address: String!) { attestations(
  where: { recipient: { equals: $address }, revoked: { equals: false } }, orderBy: { time: desc }, take: 10
) { id attester schemaId time decodedDataJson } }`
