import fc from 'fast-check'
import { createContentTexts } from '@attestry/core/model/contentTexts.ts'
import type { FieldCondition } from '@attestry/core/model/fieldCondition.ts'
import { zeroAddress, parseAddress } from '@attestry/core/model/hex.ts'
import {
  type AnchorFilter,
  type AttestationFilter,
  everyAttestation,
  everySchema,
  groupNames,
  type GroupsRequest,
  type Holding,
  type HoldingsRequest,
  type SchemaFilter,
} from '@attestry/core/index/indexQueries.ts'
import { addresses, attestationId, blockTimestamp, schemaId, texts } from './generatedChain.ts'
import { valueTexts } from './testPayloads.ts'

/**
 * Filters by values that mostly occur in generated chains of these ids. Few of their members are set, so that rows
 * pass.
 */

export const filteredChainIds = [5, 137]

const address = fc.constantFrom(...addresses)
const chainId = fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...filteredChainIds) }, fc.constant(99))
const time = fc.oneof(
  fc.nat(80).map(blockTimestamp),
  fc.constantFrom(0, 1, 3_600, 2 ** 32, 2 ** 33 + 3, 2 ** 53 - 1),
)
const protocol = fc.constantFrom('sign', 'eas', 'other')
const membersMax = 4

/** Few keys name a protocol: without one a key means the first that has the id. */
const keyProtocol = fc.constantFrom(null, null, null, 'sign', 'eas')

/** The attestations that addresses of generated chains may hold. */
export const holdings: fc.Arbitrary<Holding> = fc.record({
  schema: fc.record({ chainId, localId: fc.nat(8).map(schemaId), protocol: keyProtocol }),
  attester: fc.option(address, { nil: null }),
  valid: fc.record({ kind: fc.constantFrom('now', 'then'), at: time }),
})

/** Further conditions on an attestation of a holder, beside `holdings`. */
export function createNarrowings(): fc.Arbitrary<
  Pick<HoldingsRequest, 'role' | 'attesters' | 'fields' | 'attestedFrom' | 'attestersMin'>
> {
  return fc.record({
    role: fc.constantFrom('recipient', 'attester'),
    attesters: fc.option(fc.uniqueArray(address, { minLength: 1, maxLength: 4 }), { nil: null }),
    fields: fc.oneof(fc.constant([]), fc.array(fieldCondition, { maxLength: 1 })),
    attestedFrom: fc.option(time, { nil: null }),
    attestersMin: fc.constantFrom(1, 1, 2, 3),
  })
}

const path = fc.oneof(
  fc.constantFrom(
    ['level'],
    ['tags'],
    ['who'],
    ['ok'],
    ['person', 'name'],
    ['person', 'level'],
    ['contentId'],
  ),
  fc.constantFrom(...texts).map((name) => [name]),
)
const operand = fc.oneof(
  fc.constantFrom('0', '-0', '007', '1', '01', '+1', '2', '-2', '1e1', 'true', 'false'),
  fc.constantFrom(...valueTexts, 'a', ...addresses),
)

/** Conditions on the fields that `testPayloads.ts` makes. */
const ownCondition: fc.Arbitrary<FieldCondition> = fc.oneof(
  fc.record({ path, operator: fc.constant('equals'), values: operand.map((value) => [value]) }),
  fc.record({
    path,
    operator: fc.constant('in'),
    values: fc.uniqueArray(operand, { minLength: 1, maxLength: 9 }),
  }),
  fc.record({
    path,
    operator: fc.constantFrom('gt', 'gte', 'lt', 'lte', 'contains', 'startsWith'),
    values: operand.map((value) => [value]),
  }),
)

/** Texts that lead to content, with what the content has. */
const contents = fc
  .array(
    fc.record({
      pathText: fc.constantFrom('contentId', 'name', 'tags'),
      text: fc.constantFrom(...valueTexts),
      values: fc.subarray(['1', '2', 'name tag']),
    }),
    { minLength: 1, maxLength: 6 },
  )
  .map(createContentTexts)

const fieldCondition: fc.Arbitrary<FieldCondition> = fc.oneof(
  { weight: 3, arbitrary: ownCondition },
  fc.tuple(ownCondition, contents).map(([own, found]) => ({ ...own, contents: found })),
)

const attestationMembers = {
  // Half of all attestations are under the first.
  schema: fc.record({
    chainId,
    localId: fc.oneof(fc.nat(8), fc.constant(0)).map(schemaId),
    protocol: keyProtocol,
  }),
  attester: address,
  recipient: fc.oneof(
    address.map((each) => ({ kind: 'address', address: each }) as const),
    fc.constantFrom(...texts, '0xab', '0xAB').map((value) => ({ kind: 'value', value }) as const),
    // A did:web is no address, and not empty.
    fc
      .tuple(fc.constantFrom(...texts.filter((text) => text !== '' && parseAddress(text) === null)), address)
      .map(([value, under]) => ({ kind: 'value', value, under }) as const),
  ),
  chainId,
  protocol,
  revoked: fc.boolean(),
  expired: fc.record({ at: time, is: fc.boolean() }),
  validAt: time,
  attestedFrom: time,
  attestedBefore: time,
  revokedFrom: time,
  revokedBefore: time,
  linkedAttestations: fc.array(
    fc.record({ chainId, localId: fc.nat(60).map(attestationId), protocol: keyProtocol }),
    { minLength: 1, maxLength: 12 },
  ),
  recipientHolds: holdings,
  attesterHolds: fc
    .record({ holding: holdings, hops: fc.constantFrom(1 as const, 2 as const) })
    .map(({ holding, hops }) => ({ ...holding, hops })),
  indexingValue: fc.oneof(fc.constantFrom(...texts), address),
  dataLocation: fc.constantFrom('ONCHAIN', 'IPFS', 'ARWEAVE'),
  portal: address,
  fields: fc.array(fieldCondition, { minLength: 1, maxLength: 2 }),
} satisfies Record<keyof AttestationFilter, unknown>

const schemaMembers = {
  registrant: address,
  resolver: fc.oneof(address, fc.constant(zeroAddress)),
  chainId,
  protocol,
  revocable: fc.boolean(),
  registeredFrom: time,
  registeredBefore: time,
} satisfies Record<keyof SchemaFilter, unknown>

export const attestationFilters: fc.Arbitrary<AttestationFilter> = fc
  .tuple(
    fc.record(attestationMembers),
    fc.oneof(
      fc.subarray(Object.keys(everyAttestation), { maxLength: membersMax }),
      fc.constantFrom(
        ['fields'],
        ['fields', 'schema'],
        ['fields', 'schema', 'attestedFrom', 'attestedBefore'],
        ['revokedFrom', 'revokedBefore'],
        ['revoked', 'revokedFrom', 'schema'],
      ),
      fc.subarray(Object.keys(everyAttestation), { maxLength: 2 }).map((names) => ['fields', ...names]),
    ),
  )
  .map(([members, kept]) => ({ ...everyAttestation, ...pick(members, kept) }))

/** Groups of few filters: counters hold most of them. */
export const groupings: fc.Arbitrary<GroupsRequest> = fc
  .record({
    by: fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...groupNames) },
      fc.record({ path }),
      fc.record({ path, contents }),
    ),
    members: fc.record(attestationMembers),
    kept: fc.subarray(Object.keys(everyAttestation), { maxLength: 2 }),
    page: fc.constantFrom(1, 1, 2, 200, 100_001),
    size: fc.constantFrom(1, 3, 100),
  })
  .map(({ by, members, kept, ...page }) => {
    // A field is one of a schema.
    const names = typeof by === 'object' ? ['schema', ...kept] : kept
    return { by, filter: { ...everyAttestation, ...pick(members, names) }, ...page }
  })

/** The values, kinds and accounts of generated anchors; hashes in both cases. */
export const anchorFilters: fc.Arbitrary<AnchorFilter> = fc.record({
  value: fc.option(fc.constantFrom(...texts, `0x${'ab'.repeat(31)}00`, `0x${'AB'.repeat(31)}01`), {
    nil: null,
    freq: 2,
  }),
  kind: fc.option(fc.constantFrom('Anchor0', 'Anchor1', 'Anchor2', 'none\0'), { nil: null, freq: 2 }),
  account: fc.option(address, { nil: null, freq: 2 }),
  chainId: fc.option(chainId, { nil: null, freq: 2 }),
})

export const schemaFilters: fc.Arbitrary<SchemaFilter> = fc
  .tuple(fc.record(schemaMembers), fc.subarray(Object.keys(everySchema), { maxLength: membersMax }))
  .map(([members, kept]) => ({ ...everySchema, ...pick(members, kept) }))

function pick<Members extends object>(members: Members, kept: readonly string[]): Partial<Members> {
  const picked = { ...members }
  for (const name of Object.keys(members)) if (!kept.includes(name)) Reflect.deleteProperty(picked, name)
  return picked
}
