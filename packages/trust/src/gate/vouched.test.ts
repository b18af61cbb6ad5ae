import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { localIdOfCounter } from '@attestry/core/model/compositeId.ts'
import { unixMilliseconds, unixSeconds } from '@attestry/core/model/time.ts'
import { createServer } from '@attestry/server/testing/createServer.ts'
import { sampleChain } from '@attestry/server/pipeline/testing/sampleIndex.ts'
import {
  sampleAddress,
  sampleAttestation,
  sampleSchema,
} from '@attestry/server/pipeline/testing/sampleRecords.ts'
import { createTestIndex, openTestIndex } from '@attestry/server/pipeline/testing/testIndex.ts'
import { createPolicies } from './gatePolicies.ts'
import { readEvmKey } from './evmKey.ts'
import { parsePolicy } from './parsePolicy.ts'
import { scoreVerdicts } from './scoreVerdicts.ts'

const nowS = 1_800_000_000
const root = sampleAddress(1)
const accounts = Array.from({ length: 7 }, (_, index) => sampleAddress(index + 1))
/** Schemas: 1 is what counts, 2 is what attesters hold. */
const schemaIds = [1, 2].map((number) => `onchain_evm_11155111_0x${number}`)

interface Sent {
  readonly schema: 1 | 2
  readonly from: number
  readonly to: number
  readonly ends?: number
}

/** Tells whether a record is valid. */
type Counts = (record: Sent) => boolean

const sentLists = fc.array(
  fc.record({
    schema: fc.constantFrom(1 as const, 2 as const),
    from: fc.nat(6),
    to: fc.nat(6),
    ends: fc.constantFrom(0, 0, 0, nowS - 5, nowS + 50),
  }),
  { minLength: 5, maxLength: 30 },
)

function serve(sent: readonly Sent[]) {
  const index = createTestIndex({
    schemas: [sampleSchema(1), sampleSchema(2)],
    attestations: sent.map(({ schema, from, to, ends = 0 }, at) =>
      sampleAttestation(at + 1, {
        schemaLocalId: localIdOfCounter(BigInt(schema)),
        attester: sampleAddress(from + 1),
        recipients: [{ kind: 'address', address: sampleAddress(to + 1) }],
        validUntil: BigInt(ends),
        attestTimestamp: unixSeconds(nowS - 1_000),
      }),
    ),
    chains: [
      sampleChain({ updatedAt: unixMilliseconds(nowS * 1000), indexedTimestamp: unixSeconds(nowS - 1) }),
    ],
  })
  return createServer({
    reader: openTestIndex(index),
    now: () => unixMilliseconds(nowS * 1000),
    policies: createPolicies({}, true, true),
    evmKey: readEvmKey('4c'.repeat(32)),
  })
}

function policyOf(hops: 1 | 2, distinct = 1): object {
  const vouching = { schema: schemaIds[1], attester: [root] }
  return { holds: { schema: schemaIds[0], attester: { holds: vouching, hops }, distinctAttesters: distinct } }
}

async function judge(app: ReturnType<typeof serve>, policy: object, subjects: readonly string[] = accounts) {
  const response = await app.inject({ method: 'POST', url: '/scan/gate', payload: { policy, subjects } })
  return response.json<{ data: { rows: { verdict: string; because: string[]; reasons: string[] }[] } }>().data
    .rows
}

/** Whether the account has the vouching of an account that is at most so many steps from the root. */
function isVouched(sent: readonly Sent[], account: number, hops: number, counts: Counts): boolean {
  return sent.some(
    (record) =>
      record.schema === 2 &&
      record.to === account &&
      counts(record) &&
      (record.from === 0 || (hops > 1 && isVouched(sent, record.from, hops - 1, counts))),
  )
}

test('attesters count as every path one by one says', async () => {
  const counts: Counts = ({ ends = 0 }) => ends === 0 || ends > nowS
  await fc.assert(
    fc.asyncProperty(sentLists, async (sent) => {
      const app = serve(sent)
      for (const hops of [1, 2] as const) {
        for (const distinct of [1, 2]) {
          const rows = await judge(app, policyOf(hops, distinct))
          const expected = accounts.map((_, account) => {
            const attesters = sent
              .filter((record) => record.schema === 1 && record.to === account && counts(record))
              .map(({ from }) => from)
            const vouched = new Set(attesters.filter((from) => isVouched(sent, from, hops, counts)))
            return vouched.size >= distinct ? 'allow' : 'deny'
          })
          expect(rows.map(({ verdict }) => verdict)).toEqual(expected)
        }
      }
      await app.close()
    }),
    { numRuns: 15 },
  )
})

/** The root vouches for 1, who vouches for 2; 1 attests to 3, 2 to 4, and 5 to 6 without being vouched for. */
const known = serve([
  { schema: 2, from: 0, to: 1 },
  { schema: 2, from: 1, to: 2, ends: nowS + 70 },
  { schema: 1, from: 1, to: 3 },
  { schema: 1, from: 2, to: 4 },
  { schema: 1, from: 5, to: 6 },
])
afterAll(() => known.close())

const shown = (account: number) => checksumAddress(sampleAddress(account + 1))

test('a reason names the record, its attester and the records of the attester', async () => {
  const [direct, far, none] = await judge(
    known,
    policyOf(2),
    [3, 4, 6].map((account) => sampleAddress(account + 1)),
  )
  const what =
    `valid attestation under ${schemaIds[0]} by an attester who holds a valid attestation under ${schemaIds[1]} by ` +
    `${shown(0)}, or one from an account that does`
  expect(direct).toMatchObject({
    verdict: 'allow',
    because: ['onchain_evm_11155111_0x3', 'onchain_evm_11155111_0x1'],
    reasons: [
      `The subject holds onchain_evm_11155111_0x3: ${what}. onchain_evm_11155111_0x3 is by ${shown(1)}, who holds ` +
        `onchain_evm_11155111_0x1.`,
    ],
  })
  expect(far).toMatchObject({
    verdict: 'allow',
    because: ['onchain_evm_11155111_0x4', 'onchain_evm_11155111_0x2', 'onchain_evm_11155111_0x1'],
    reasons: [
      `The subject holds onchain_evm_11155111_0x4: ${what}. onchain_evm_11155111_0x4 is by ${shown(2)}, who holds ` +
        `onchain_evm_11155111_0x2 from ${shown(1)}, who holds onchain_evm_11155111_0x1.`,
    ],
  })
  expect(none).toMatchObject({ verdict: 'deny', reasons: [`The subject holds no ${what}.`] })
  expect(await judge(known, policyOf(1), [sampleAddress(5)])).toMatchObject([{ verdict: 'deny' }])
})

test('a signed verdict ends with the records of the attesters', async () => {
  const response = await known.inject({
    method: 'POST',
    url: `/scan/gate?signed=eip712&verifyChainId=1&verifyingContract=${root}`,
    payload: { policy: policyOf(2), subjects: [sampleAddress(5)] },
  })
  expect(response.json()).toMatchObject({ message: { issuedAt: nowS, expiresAt: nowS + 70 } })
})

test('the records of attesters are no score', async () => {
  const policy = parsePolicy({ ...policyOf(1), score: 'count' }, {})
  const key = { chainId: 11_155_111, localId: localIdOfCounter(1n), protocol: 'sign' as const, maxAge: null }
  const records = [
    { ...key, vouches: false },
    { ...key, vouches: true },
  ]
  const parts = {} as Parameters<typeof scoreVerdicts>[0]
  expect(await scoreVerdicts(parts, policy, [{ verdict: 'allow', records }])).toEqual([1n])
})

test('attesters without a voucher do not hide those with one', async () => {
  // Seventy strangers attest after the attester who is vouched for.
  const strangers = Array.from({ length: 70 }, (_, index) => ({
    schema: 1 as const,
    from: 100 + index,
    to: 3,
  }))
  const app = serve([{ schema: 2, from: 0, to: 1 }, { schema: 1, from: 1, to: 3 }, ...strangers])
  expect(await judge(app, policyOf(2), [sampleAddress(4)])).toMatchObject([
    { verdict: 'allow', because: ['onchain_evm_11155111_0x2', 'onchain_evm_11155111_0x1'] },
  ])
  await app.close()
})

const inner = { schema: schemaIds[1], attester: [root] }
test.each<[object, string]>([
  [{ holds: inner, hops: 3 }, 'policy.holds.attester.hops must be 1 or 2, but is 3'],
  [{ holds: inner, steps: 1 }, 'policy.holds.attester.steps is no member here; the members are holds, hops'],
  [{ hops: 1 }, 'policy.holds.attester.holds must be an object with schema'],
  [
    { holds: { schema: schemaIds[1] } },
    'policy.holds.attester.holds.attester must be a list of 1 to 100 addresses',
  ],
  [
    { holds: { ...inner, attester: { holds: inner } } },
    'policy.holds.attester.holds.attester must be addresses or any within an attester; hops: 2 goes one step further',
  ],
  [
    { holds: { ...inner, recipient: 'attester' }, hops: 2 },
    'policy.holds.attester.hops must be 1 where the attester made the attestation (recipient: attester)',
  ],
])('%j is a mistake', (attester, sentence) => {
  expect(() => parsePolicy({ holds: { schema: schemaIds[0], attester } }, {})).toThrow(sentence)
})
