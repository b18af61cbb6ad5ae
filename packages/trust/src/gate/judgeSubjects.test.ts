import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSqliteTestStore } from '@attestry/test/harness/sqliteTestStore.ts'
import { formatCompositeId, type ChainId, type LocalId } from '@attestry/core/model/compositeId.ts'
import type { Address } from '@attestry/core/model/hex.ts'
import { unixMilliseconds } from '@attestry/core/model/time.ts'
import type { HoldingsWhole } from '@attestry/core/index/indexQueries.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import { openSqliteReader } from '@attestry/store/sqlite/openSqliteReader.ts'
import { openSqliteWriter } from '@attestry/store/sqlite/openSqliteWriter.ts'
import {
  addresses,
  blockTimestamp,
  generateBlocks,
  schemaId,
  steps,
} from '@attestry/store/testing/generatedChain.ts'
import { buildModel, type ModelIndex } from '@attestry/store/testing/modelIndex.ts'
import { modelHoldings } from '@attestry/store/testing/queryModel.ts'
import { batchOf, identityOf } from '@attestry/store/testing/storeFactory.ts'
import type { AskedMoment } from '@attestry/server/pipeline/asOf/parseAsOf.ts'
import { judgeSubjects } from './judgeSubjects.ts'
import { parsePolicy } from './parsePolicy.ts'

/** A chain that is indexed up to date, one that is stale, and one that is not indexed. */
const [fresh, stale, missing]: readonly [ChainId, ChainId, ChainId] = [5, 137, 99]

const grow = (chainId: ChainId, blocks: number) =>
  generateBlocks(
    chainId,
    [],
    // Most events are attestations; none goes back in time.
    fc
      .sample(steps(400), { numRuns: 20, seed: chainId })
      .flat()
      .slice(0, blocks)
      .map((step) => {
        // A revocation that a read claims depends on later blocks.
        const text = step.text % 3 === 0 ? step.text : 3
        return { ...step, text, what: step.what % 98, kind: step.kind % 3 === 0 ? step.kind : 7 }
      }),
    'a',
  )

const chains = new Map([
  [fresh, grow(fresh, 200)],
  [stale, grow(stale, 120)],
])
const endOf = (chainId: ChainId) => chains.get(chainId)?.at(-1) ?? { number: -1, timestamp: -1 }
const now = endOf(fresh).timestamp + 5
const secondsOf: Readonly<Record<string, number>> = { '1h': 3_600, '10h': 36_000, '5d': 432_000 }
const models = new Map<string, ModelIndex>()

let reader: IndexReader
let remove: () => Promise<void>
beforeAll(async () => {
  const store = createSqliteTestStore({ rankThreshold: 1_000 })
  const writer = openSqliteWriter(store.path)
  for (const [chainId, blocks] of chains) {
    const { contracts, ...identity } = identityOf(chainId)
    const eas = contracts.map((contract) => ({
      ...contract,
      protocol: 'eas',
      address: `0x${'e'.repeat(40)}` as Address,
    }))
    await writer.openChain({ ...identity, contracts: [...contracts, ...eas] })
    await writer.applyBlocks(chainId, batchOf(blocks))
  }
  await writer.close()
  reader = openSqliteReader(store.path)
  remove = store.remove
})
afterAll(async () => {
  await reader.close()
  await remove()
})

interface Holds {
  readonly schema: string
  readonly protocol: string
  readonly attester: 'any' | readonly Address[]
  readonly recipient: 'subject' | 'attester'
  readonly maxAge?: string
  readonly distinctAttesters: number
}

type Written =
  | { readonly all: readonly Written[] }
  | { readonly any: readonly Written[] }
  | { readonly not: Written }
  | { readonly atLeast: number; readonly of: readonly Written[] }
  | { readonly holds: Holds }

const holdsTerms: fc.Arbitrary<Holds> = fc
  .record({
    chainId: fc.constantFrom(fresh, fresh, fresh, stale, missing),
    // Half of all attestations are under the first.
    schema: fc.constantFrom(0, 0, 0, 1, 3, 5),
    protocol: fc.constantFrom('sign', 'eas'),
    attester: fc.oneof(
      fc.constant('any' as const),
      fc.uniqueArray(fc.constantFrom(...addresses), { minLength: 1 }),
    ),
    recipient: fc.constantFrom('subject', 'attester'),
    maxAge: fc.option(fc.constantFrom(...Object.keys(secondsOf)), { nil: null }),
    distinct: fc.constantFrom(1, 1, 2),
  })
  .map(({ chainId, schema, attester, maxAge, distinct, ...others }) => ({
    ...others,
    attester,
    schema: formatCompositeId({ chainId, localId: schemaId(schema) }),
    ...(maxAge === null ? {} : { maxAge }),
    distinctAttesters: attester === 'any' ? distinct : Math.min(distinct, attester.length),
  }))

const { written } = fc.letrec<{ written: Written; terms: readonly Written[] }>((tie) => ({
  terms: fc.array(tie('written'), { minLength: 1, maxLength: 3 }),
  written: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.record({ holds: holdsTerms }),
    fc.record({ all: tie('terms') }),
    fc.record({ any: tie('terms') }),
    fc.record({ not: tie('written') }),
    tie('terms').chain((of) =>
      fc.record({ atLeast: fc.integer({ min: 1, max: of.length }), of: fc.constant(of) }),
    ),
  ),
}))

const moments: fc.Arbitrary<AskedMoment | null> = fc.oneof(
  fc.constant(null),
  fc.nat(endOf(fresh).number).map((block) => ({ kind: 'block', chainId: fresh, block }) as const),
  fc.nat(endOf(fresh).number).map((block) => ({ kind: 'time', at: blockTimestamp(block) }) as const),
)

/** Whether a chain is indexed as far as a question about a moment needs. */
function isKnown(chainId: ChainId, moment: AskedMoment | null): boolean {
  if (chainId === missing) return false
  if (moment === null) return chainId === fresh
  return endOf(chainId).timestamp >= timeOf(moment)
}

function timeOf(moment: AskedMoment): number {
  return moment.kind === 'time' ? moment.at : blockTimestamp(Number(moment.block))
}

/** Whether the subject holds it by all records, looked at one by one; null: not known. */
function holdsPlainly(holds: Holds, subject: Address, moment: AskedMoment | null): boolean | null {
  const [, , chain, localId] = holds.schema.split('_')
  const chainId = Number(chain)
  if (!isKnown(chainId, moment)) return null
  const at = moment === null ? now : timeOf(moment)
  const isOfBlock = moment?.kind === 'block' && chainId === fresh
  const kind = moment === null ? 'now' : isOfBlock ? 'block' : 'then'
  const until = isOfBlock ? Number(moment.block) : endOf(chainId).number
  const model = models.get(`${chainId} ${until}`) ?? modelUpTo(chainId, until)
  models.set(`${chainId} ${until}`, model)
  const found = modelHoldings(model, subject, {
    role: holds.recipient === 'attester' ? 'attester' : 'recipient',
    schema: { chainId, localId: localId as LocalId, protocol: holds.protocol },
    attesters: holds.attester === 'any' ? null : holds.attester,
    fields: [],
    attestedFrom: holds.maxAge === undefined ? null : at - (secondsOf[holds.maxAge] ?? 0),
    valid: { kind, at, block: until },
    attestersMin: holds.distinctAttesters,
  })
  return found.length >= holds.distinctAttesters
}

function modelUpTo(chainId: ChainId, block: number) {
  return buildModel(new Map([[chainId, (chains.get(chainId) ?? []).slice(0, block + 1)]]))
}

/** Whether a policy passes where all that is not known speaks against the subject, and where it speaks for the subject. */
function boundsOf(term: Written, judge: (holds: Holds) => boolean | null): [least: boolean, most: boolean] {
  if ('holds' in term) {
    const known = judge(term.holds)
    return [known ?? false, known ?? true]
  }
  if ('not' in term) {
    const [least, most] = boundsOf(term.not, judge)
    return [!most, !least]
  }
  const terms = 'all' in term ? term.all : 'any' in term ? term.any : term.of
  const needed = 'all' in term ? terms.length : 'any' in term ? 1 : term.atLeast
  const bounds = terms.map((each) => boundsOf(each, judge))
  return [
    bounds.filter(([least]) => least).length >= needed,
    bounds.filter(([, most]) => most).length >= needed,
  ]
}

function chainsOf(term: Written): number[] {
  if ('holds' in term) return [Number(term.holds.schema.split('_')[2])]
  if ('not' in term) return chainsOf(term.not)
  return ('all' in term ? term.all : 'any' in term ? term.any : term.of).flatMap(chainsOf)
}

test('a policy is judged as every record one by one says, and unknown where a chain is stale or missing', async () => {
  const seen = { allow: 0, deny: 0, unknown: 0 }
  await fc.assert(
    fc.asyncProperty(written, moments, async (policy, moment) => {
      const { verdicts } = await judgeSubjects(
        {
          reader,
          findPublished: () => null,
          readHeader: () => Promise.resolve({ kind: 'unreachable' }),
          checkOwnFields: (filter) => Promise.resolve(filter),
          now: () => unixMilliseconds(now * 1_000),
        },
        parsePolicy(policy, {}),
        addresses,
        moment,
        (verdict) => verdict,
      )
      const isWhole = chainsOf(policy).every((chainId) => isKnown(chainId, moment))
      const expected = addresses.map((subject) => {
        const [passes] = boundsOf(policy, (holds) => holdsPlainly(holds, subject, moment))
        return passes ? 'allow' : isWhole ? 'deny' : 'unknown'
      })
      expect(verdicts.map(({ verdict }) => verdict)).toEqual(expected)
      for (const { verdict } of verdicts) seen[verdict]++
    }),
    { numRuns: 150 },
  )
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(50)
})

test('a policy of many terms judges fewer subjects at once', async () => {
  const any = Array.from({ length: 64 }, () => ({ holds: { schema: 'onchain_evm_5_0x1', attester: 'any' } }))
  const policy = parsePolicy({ any }, {})
  const parts = {
    reader,
    findPublished: () => null,
    readHeader: () => Promise.resolve({ kind: 'unreachable' } as const),
    checkOwnFields: <Filter>(filter: Filter) => Promise.resolve(filter),
    now: () => unixMilliseconds(now * 1_000),
  }
  const judge = (count: number) =>
    judgeSubjects(parts, policy, new Array<Address>(count).fill(addresses[0] as Address), null, () => null)
  await expect(judge(1_563)).rejects.toThrow(
    'a policy of 64 terms holds judges at most 1,562 subjects at once',
  )
  expect((await judge(10)).verdicts).toHaveLength(10)
})

test('parts of one judgement share what may be looked at for each term, and read no payload', async () => {
  const holds = { schema: 'onchain_evm_5_0x1', attester: 'any', distinctAttesters: 100 }
  const policy = parsePolicy({ any: Array.from({ length: 60 }, () => ({ holds })) }, {})
  const wholes = new Map<HoldingsWhole | undefined, number>()
  const counting: IndexReader = {
    ...reader,
    findHoldings: async (request, turn) => {
      wholes.set(request.whole, (wholes.get(request.whole) ?? 0) + request.addresses.length)
      return await reader.findHoldings(request, turn)
    },
    findAttestations: () =>
      Promise.reject(new Error('a judgement without conditions on fields reads no record')),
  }
  const parts = {
    reader: counting,
    findPublished: () => null,
    readHeader: () => Promise.resolve({ kind: 'unreachable' } as const),
    checkOwnFields: <Filter>(filter: Filter) => Promise.resolve(filter),
    now: () => unixMilliseconds(now * 1_000),
  }
  await judgeSubjects(parts, policy, addresses, null, () => null)
  expect([...wholes.values()]).toEqual(Array.from({ length: 60 }, () => addresses.length))
  for (const whole of wholes.keys()) expect(whole).toMatchObject({ addresses: addresses.length })
})
