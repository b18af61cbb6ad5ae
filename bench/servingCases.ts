import { formatCompositeId, localIdOfCounter } from '@attestry/core/model/compositeId.ts'
import { createRandom } from '@attestry/test/simulator/random.ts'
import { account, attestationUid, easChainId, schemaUid } from './easContent.ts'
import { easQuestions } from './easQuestions.ts'
import { pageQuery, postQuery } from './graphqlRequests.ts'
import { lastBlockOf, sampleChainId, type SampleIndex, type SampleOptions } from './sampleIndex.ts'

/** One measured kind of request. */
export interface ServingCase {
  readonly name: string
  /**
   * `fresh`: each request differs, and the answer cache is off. `kept`: repeated requests while the index does not
   * change. `limited`: as `fresh`, with `server.rateLimit` set; the baseline is the same server without.
   */
  readonly kind: 'fresh' | 'kept' | 'limited'
  /** The database that is asked: of `sampleIndex.ts`, or of `easContent.ts`. */
  readonly content: 'sample' | 'eas'
  /** The target ratio to the requests per second of the baseline; null without a target. */
  readonly target: number | null
  /** Distinct requests, sent in turn: paths, or paths followed by a space and a body to post. */
  readonly paths: readonly string[]
}

const recordTarget = 0.65
const pageTarget = 0.7
const keptTarget = 0.8
const graphqlTarget = 0.5
const easTarget = 0.45
/** Of the targets without `asOf`: 0.8 of the rate of a record, half of that of a page. */
const pastRecordTarget = 0.52
const pastPageTarget = 0.35
const limitedTarget = 0.95
const keptGraphqlTarget = 0.4

/** Distinct paths per case: enough to exceed the caches of processor and database. */
const recordPaths = 40_000
const pagePaths = 10_000

export function createServingCases(options: SampleOptions, sample: SampleIndex): ServingCase[] {
  const random = createRandom(options.seed + 7)
  const id = (counter: number) =>
    formatCompositeId({ chainId: sampleChainId, localId: localIdOfCounter(BigInt(counter)) })
  const repeat = (count: number, path: () => string) => [...new Set(Array.from({ length: count }, path))]
  const anyPage = (rows: number) => random.integer(1, Math.max(1, Math.ceil(rows / 10)))
  const anyAttestation = () => id(random.integer(1, options.attestations))
  const schemaPage = () => {
    // Half of the pages are in the largest schema, deep in its listing.
    const schema = random.chance(0.5) ? 1 : random.integer(1, options.schemas)
    return `/scan/attestations?schemaId=${id(schema)}&page=${anyPage(sample.attestationsOfSchema[schema] ?? 0)}`
  }
  // The younger half of the blocks.
  const lastBlock = lastBlockOf(options)
  const oldBlock = () => `${sampleChainId}:${random.integer(Math.ceil(lastBlock / 2) + 1, lastBlock - 1)}`
  const attester = () => sample.attester(random.integer(0, sample.attesterCount - 1))
  const busiest = sample.attester(0)
  // Half of the pages are deep in the longest list: a third of all attestations, and a fifth.
  const attesterPage = () =>
    random.chance(0.5)
      ? `/scan/attestations?attester=${busiest}&page=${anyPage(options.attestations * 0.3)}`
      : `/scan/attestations?attester=${attester()}`
  const fieldPage = () =>
    random.chance(0.5)
      ? `/scan/attestations?schemaId=${id(1)}&field[passed]=true&page=${anyPage(options.attestations * 0.2)}`
      : `/scan/attestations?schemaId=${id(random.integer(1, options.schemas))}&field[passed]=${random.chance(0.5)}`
  const fresh = (name: string, target: number | null, paths: readonly string[]): ServingCase => ({
    name,
    kind: 'fresh',
    content: 'sample',
    target,
    paths,
  })
  const kept = (name: string, path: string, target = keptTarget): ServingCase => ({
    name,
    kind: 'kept',
    content: 'sample',
    target,
    paths: [path],
  })
  const single = fresh(
    'single attestation',
    recordTarget,
    repeat(recordPaths, () => `/scan/attestations/${anyAttestation()}`),
  )
  const eas = (name: string, query: string, variables: (turn: number) => object): ServingCase => ({
    ...fresh(
      name,
      easTarget,
      Array.from({ length: pagePaths }, (_, turn) =>
        postQuery(query, { ...variables(turn) }, `/eas/${easChainId}/graphql`),
      ),
    ),
    content: 'eas',
  })
  return [
    single,
    { ...single, name: 'single attestation with `server.rateLimit`', kind: 'limited', target: limitedTarget },
    fresh(
      'single schema',
      recordTarget,
      Array.from({ length: options.schemas }, (_, index) => `/scan/schemas/${id(index + 1)}`),
    ),
    fresh('page of a schema', pageTarget, repeat(pagePaths, schemaPage)),
    fresh(
      'single attestation as of a block',
      pastRecordTarget,
      repeat(recordPaths, () => {
        const counter = random.integer(1, Math.floor(options.attestations / 2))
        return `/scan/attestations/${id(counter)}?asOf=${oldBlock()}`
      }),
    ),
    fresh(
      'page of a schema as of a block',
      pastPageTarget,
      repeat(pagePaths, () => `${schemaPage()}&asOf=${oldBlock()}`),
    ),
    fresh(
      'page of all attestations',
      pageTarget,
      repeat(pagePaths, () => `/scan/attestations?page=${anyPage(options.attestations)}`),
    ),
    fresh(
      'page with `fields=detail`',
      pageTarget,
      repeat(pagePaths, () => `/scan/attestations?fields=detail&page=${anyPage(options.attestations)}`),
    ),
    fresh(
      'page of all schemas',
      pageTarget,
      repeat(pagePaths, () => `/scan/schemas?page=${anyPage(options.schemas)}`),
    ),
    fresh('page of an attester', pageTarget, repeat(pagePaths, attesterPage)),
    fresh('page of a value of a field', pageTarget, repeat(pagePaths, fieldPage)),
    fresh(
      'attestations of an address',
      pageTarget,
      repeat(pagePaths, () => `/scan/addresses/${attester()}/attestations`),
    ),
    fresh(
      'statistics of an address',
      null,
      repeat(pagePaths, () => `/scan/addresses/${attester()}/statistics`),
    ),
    fresh(
      'GraphQL, page by variable',
      graphqlTarget,
      repeat(pagePaths, () => postQuery(pageQuery, { page: anyPage(options.attestations) })),
    ),
    fresh(
      'GraphQL, page in the query',
      graphqlTarget,
      repeat(pagePaths, () =>
        postQuery(
          pageQuery.replace('$page)', `${anyPage(options.attestations)})`).replace('($page: Int)', ''),
        ),
      ),
    ),
    eas('EAS-compatible, one attestation with its schema', easQuestions.oneWithSchema, (turn) => ({
      i: attestationUid((turn * 7_919) % options.attestations),
    })),
    eas('EAS-compatible, newest 10 of a recipient', easQuestions.newestOfRecipient, (turn) => ({
      s: schemaUid(0),
      // Two accounts of five receive attestations under this schema.
      r: account(Math.floor(turn / 2) * 5 + (turn % 2)),
    })),
    kept('GraphQL, same page', postQuery(pageQuery, { page: 7 }), keptGraphqlTarget),
    kept('latest attestations', '/scan/latest-attestations'),
    kept('top schemas', '/scan/top-schemas'),
    kept('trending schemas', '/scan/trending-schemas'),
    kept('statistics, same address', `/scan/addresses/${busiest}/statistics`),
    kept('single attestation, same one', `/scan/attestations/${anyAttestation()}`),
    kept('page of a schema, same one', `/scan/attestations?schemaId=${id(1)}&page=7`),
  ]
}
