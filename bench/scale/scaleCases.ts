import { formatCompositeId, localIdOfCounter } from '@attestry/core/model/compositeId.ts'
import { createRandom } from '@attestry/test/simulator/random.ts'
import { pageQuery, postQuery } from '../graphqlRequests.ts'
import { frequentText, sampleChainId, type SampleIndex } from '../sampleIndex.ts'

/** Requests of one kind, sent in turn; distinct if the index allows it. */
export interface ScaleCase {
  readonly name: string
  readonly paths: readonly string[]
  /** Least ratio of the rates of both indexes; null: none, undefined: that of most cases. */
  readonly rateTarget?: number | null
}

/** The first and the last page of the same listing. */
export interface ListingEnds {
  readonly name: string
  readonly first: string
  readonly last: string
  /** Greatest ratio of their times; undefined: that of most listings. */
  readonly ratioTarget?: number
}

/** The requests for an index of this size. */
export interface ScaleSize {
  readonly attestations: number
  readonly schemas: number
  readonly sample: SampleIndex
  /** Attestations of the largest schema, and of the busiest attester. */
  readonly ofLargestSchema: number
  readonly ofBusiestAttester: number
  /** Attestations of the largest schema with the most frequent value of a field. */
  readonly ofFrequentValue: number
}

const pathCount = 10_000

/** Every listing and every lookup, over records of all ages. */
export function createScaleCases(size: ScaleSize): ScaleCase[] {
  const { attestations, schemas, sample } = size
  const random = createRandom(11)
  const many = (name: string, path: () => string): ScaleCase => ({
    name,
    paths: [...new Set(Array.from({ length: pathCount }, path))],
  })
  const one = (name: string, path: string): ScaleCase => ({ name, paths: [path] })
  const ofFields = (each: ScaleCase): ScaleCase => ({ ...each, rateTarget: 0.6 })
  const anyId = () => idOf(random.integer(1, attestations))
  const anySchema = () => idOf(random.integer(2, schemas))
  const anyAttester = () => sample.attester(random.integer(1, sample.attesterCount - 1))
  const anyRecipient = () => sample.recipientOf(random.integer(1, attestations))
  const anyPage = (rows: number) => random.integer(1, Math.ceil(rows / pageSize))
  const largest = idOf(1)
  const busiest = sample.attester(0)
  return [
    many('single attestation', () => `/scan/attestations/${anyId()}`),
    many('single schema', () => `/scan/schemas/${anySchema()}`),
    many(
      '20 attestations by ids',
      () => `/scan/attestations/by-ids?ids=${Array.from({ length: 20 }, anyId).join()}`,
    ),
    many('any page of all attestations', () => `/scan/attestations?page=${anyPage(attestations)}`),
    many(
      'the same with `fields=detail`',
      () => `/scan/attestations?fields=detail&page=${anyPage(attestations)}`,
    ),
    many(
      'any page of the largest schema',
      () => `/scan/attestations?schemaId=${largest}&page=${anyPage(size.ofLargestSchema)}`,
    ),
    many('attestations of any schema', () => `/scan/attestations?schemaId=${anySchema()}`),
    many('any page of all schemas', () => `/scan/schemas?page=${anyPage(schemas)}`),
    many(
      'any page of the busiest attester',
      () => `/scan/addresses/${busiest}/attestations?page=${anyPage(size.ofBusiestAttester)}`,
    ),
    many('attestations of any attester', () => `/scan/addresses/${anyAttester()}/attestations`),
    many(
      'attestations of any recipient',
      () => `/scan/addresses/${anyRecipient()}/attestations?type=received`,
    ),
    many('statistics of any attester', () => `/scan/addresses/${anyAttester()}/statistics`),
    many(
      'filter: attester under the largest schema',
      () => `/scan/attestations?attester=${anyAttester()}&schemaId=${largest}`,
    ),
    many('filter: references to an attestation', () => `/scan/attestations?linkedAttestation=${anyId()}`),
    many(
      'filter: an indexing value',
      () => `/scan/attestations?indexingValue=subject-${random.integer(1, attestations)}`,
    ),
    many('filter: an attester', () => `/scan/attestations?attester=${anyAttester()}`),
    ofFields(
      many('filter: any value of a field', () => {
        const score = sample.scoreOf(random.integer(1, attestations))
        return `/scan/attestations?schemaId=${largest}&field[score]=${score}`
      }),
    ),
    ofFields(
      many(
        'filter: any page of a frequent value of a field',
        () => `${frequentPath}&page=${anyPage(size.ofFrequentValue)}`,
      ),
    ),
    ofFields(
      many(
        'filter: a frequent value of a field, and an attester',
        () => `${frequentPath}&attester=${anyAttester()}`,
      ),
    ),
    many('search: an id', () => `/scan/search?keyword=${anyId()}`),
    many('search: an address', () => `/scan/search?keyword=${anyAttester()}`),
    many('search: words of a name', () => `/scan/search?keyword=audit%20${random.integer(1, schemas)}`),
    many('GraphQL, any page', () => postQuery(pageQuery, { page: anyPage(attestations) })),
    one('latest attestations', '/scan/latest-attestations'),
    one('top schemas', '/scan/top-schemas'),
    one('trending schemas', '/scan/trending-schemas'),
    {
      ...one('groups: days of the largest schema', `/scan/aggregate/attestations?by=day&schemaId=${largest}`),
      rateTarget: null,
    },
    // Two days that the smallest measured index has, too.
    one('totals and counts by day', '/scan/stats?from=2023-11-15&before=2023-11-17'),
  ]
}

/** The first and last pages of the largest listings. */
export function createListingEnds({
  attestations,
  ofLargestSchema,
  ofBusiestAttester,
  ofFrequentValue,
  sample,
}: ScaleSize): ListingEnds[] {
  const ends = (name: string, path: string, rows: number): ListingEnds => ({
    name,
    first: `${path}page=1`,
    last: `${path}page=${Math.ceil(rows / pageSize)}`,
  })
  return [
    ends('all attestations', '/scan/attestations?', attestations),
    ends('the largest schema', `/scan/attestations?schemaId=${idOf(1)}&`, ofLargestSchema),
    ends('the busiest attester', `/scan/addresses/${sample.attester(0)}/attestations?`, ofBusiestAttester),
    { ...ends('a frequent value of a field', `${frequentPath}&`, ofFrequentValue), ratioTarget: 2 },
  ]
}

/**
 * Requests that show how work spreads over processes: they cost the server much more than the load, and are so many
 * that hardly any repeats, since the program caches answers.
 */
export function createWorkersCase({ attestations }: ScaleSize): ScaleCase {
  const random = createRandom(12)
  const ids = () => Array.from({ length: 20 }, () => idOf(random.integer(1, attestations))).join()
  return {
    name: '20 attestations by ids',
    paths: Array.from({ length: 40_000 }, () => `/scan/attestations/by-ids?ids=${ids()}`),
  }
}

/** The paths whose `total` gives the members of `ScaleSize`. */
export function totalPaths(sample: SampleIndex): {
  readonly largestSchema: string
  readonly busiestAttester: string
  readonly frequentValue: string
} {
  return {
    largestSchema: `/scan/attestations?schemaId=${idOf(1)}`,
    busiestAttester: `/scan/addresses/${sample.attester(0)}/attestations`,
    frequentValue: frequentPath,
  }
}

const pageSize = 10

const frequentPath = `/scan/attestations?schemaId=${idOf(1)}&field[subject]=${frequentText}`

function idOf(counter: number): string {
  return formatCompositeId({ chainId: sampleChainId, localId: localIdOfCounter(BigInt(counter)) })
}
