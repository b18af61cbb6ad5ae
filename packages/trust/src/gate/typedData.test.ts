import fc from 'fast-check'
import { hashTypedData, type TypedDataDomain, toHex } from 'viem'
import { expect, test } from 'vitest'
import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { sampleAddress } from '@attestry/server/pipeline/testing/sampleRecords.ts'
import { collectMistakes, formatPath } from './policyMistakes.ts'
import { fillMessage, hashMessage, readTypedSetting, type TypedForm } from './typedData.ts'

const subject = checksumAddress(sampleAddress(7))

/** A value of each kind of type, as a configuration has it. */
const leaves: fc.Arbitrary<readonly [type: string, value: unknown]> = fc.oneof(
  fc.integer({ min: 1, max: 32 }).chain((bytes) =>
    fc.oneof(
      fc
        .bigInt({ min: 0n, max: 2n ** BigInt(bytes * 8) - 1n })
        .map((value) => [`uint${bytes * 8}`, `${value}`] as const),
      fc
        .bigInt({ min: -(2n ** BigInt(bytes * 8 - 1)), max: 2n ** BigInt(bytes * 8 - 1) - 1n })
        .map((value) => [`int${bytes * 8}`, `${value}`] as const),
      fc
        .uint8Array({ minLength: bytes, maxLength: bytes })
        .map((value) => [`bytes${bytes}`, toHex(value)] as const),
    ),
  ),
  fc.boolean().map((value) => ['bool', value] as const),
  fc.string({ unit: 'grapheme' }).map((value) => ['string', value] as const),
  fc.uint8Array().map((value) => ['bytes', toHex(value)] as const),
  fc.integer({ min: 1, max: 99 }).map((value) => ['address', sampleAddress(value)] as const),
)

/** Values of one type, in lists and lists of lists. */
const lists = leaves.chain(([type, value]) =>
  fc.constantFrom(
    [type, value],
    [`${type}[]`, []],
    [`${type}[]`, [value, value]],
    [`${type}[2]`, [value, value]],
    [`${type}[][2]`, [[value], []]],
  ),
)

const settings = fc
  .record({
    own: fc.array(lists, { maxLength: 4 }),
    inner: fc.array(lists, { minLength: 1, maxLength: 3 }),
    further: fc.array(lists, { minLength: 1, maxLength: 2 }),
    domain: fc.record(
      {
        name: fc.string(),
        // viem leaves an empty version out.
        version: fc.string({ minLength: 1 }),
        chainId: fc.nat(),
        salt: fc.constant(`0x${'ab'.repeat(32)}`),
      },
      { requiredKeys: ['name'] },
    ),
  })
  .map(({ own, inner, further, domain }) => {
    const fieldsOf = (list: readonly (readonly unknown[])[]) =>
      list.map(([type], index) => ({ name: `f${index}`, type: String(type) }))
    const valuesOf = (list: readonly (readonly unknown[])[]) =>
      Object.fromEntries(list.map(([, value], index) => [`f${index}`, value]))
    const furtherValue = valuesOf(further)
    const innerValue = { ...valuesOf(inner), further: [furtherValue] }
    return {
      domain,
      primaryType: 'Main',
      types: {
        // By its name before the other, which is found first.
        Further: fieldsOf(further),
        Main: [
          { name: 'subject', type: 'address' },
          { name: 'inner', type: 'Inner' },
          ...fieldsOf(own),
          { name: 'others', type: 'Further[]' },
        ],
        Inner: [...fieldsOf(inner), { name: 'further', type: 'Further[]' }],
      },
      message: { subject: '$subject', inner: innerValue, ...valuesOf(own), others: [furtherValue] },
    }
  })

const values = {
  $subject: subject,
  $policy: `0x${'11'.repeat(32)}`,
  $chainId: '10',
  $blockNumber: 12,
  $blockHash: `0x${'22'.repeat(32)}`,
  $issuedAt: 1_700_000_000,
  $expiresAt: 1_700_000_300,
  $nonce: 2n ** 255n + 5n,
}

function readForm(setting: unknown): TypedForm {
  const { mistakes, note } = collectMistakes()
  const read = readTypedSetting(setting, ['typedData'], note)
  if (!read?.own) throw new Error(mistakes.map(({ path, text }) => `${formatPath(path)} ${text}`).join('\n'))
  return read.own
}

test('typed data of any types has the hash that viem gives it', () => {
  fc.assert(
    fc.property(settings, (setting) => {
      const form = readForm(setting)
      const message = fillMessage(form, values) as Record<string, unknown>
      const domain = setting.domain as TypedDataDomain
      const expected = hashTypedData({ domain, types: setting.types, primaryType: 'Main', message })
      expect(toHex(hashMessage(form, message))).toBe(expected)
    }),
  )
})

test('placeholders take the values of the verdict in the width of their fields', () => {
  const form = readForm({
    domain: { name: 'Any' },
    primaryType: 'Pass',
    types: {
      Pass: [
        { name: 'who', type: 'address' },
        { name: 'until', type: 'uint40' },
        { name: 'nonce', type: 'uint64' },
        { name: 'wide', type: 'uint256' },
        { name: 'chain', type: 'uint256' },
        { name: 'word', type: 'string' },
      ],
    },
    message: {
      who: '$subject',
      until: '$expiresAt',
      nonce: '$nonce',
      wide: '$nonce',
      chain: '$chainId',
      word: '$5 off',
    },
  })
  expect(fillMessage(form, values)).toEqual({
    who: subject,
    until: 1_700_000_300,
    nonce: 5,
    wide: String(2n ** 255n + 5n),
    chain: '10',
    word: '$5 off',
  })
})

const identity = {
  domain: { name: 'Sablier Airdrops Protocol', chainId: 1, verifyingContract: sampleAddress(1) },
  primaryType: 'Identity',
  types: { Identity: [{ name: 'recipient', type: 'address' }] },
  message: { recipient: '$subject' },
}

test.each<[string, object | string, string]>([
  [
    'no object',
    'Identity',
    "typedData must be an object with domain, primaryType, types, message, but is 'Identity'",
  ],
  [
    'an unknown member',
    { ...identity, type: 1 },
    'typedData.type is no member of typedData; its members are domain, primaryType, types, message',
  ],
  [
    'no domain',
    { ...identity, domain: undefined },
    'typedData.domain must be an object with some of name, version, chainId, verifyingContract, salt, but is missing',
  ],
  ['an empty domain', { ...identity, domain: {} }, 'typedData.domain must be an object with some of'],
  [
    'a name for Verdict',
    { domain: { name: 'Mine', chainId: 1 } },
    'typedData.domain.name is no member of the domain; its members are chainId, verifyingContract: the domain of Verdict is named Attestry, version 1',
  ],
  [
    'a contract that is a number',
    { ...identity, domain: { verifyingContract: 12 } },
    'typedData.domain.verifyingContract must be a value of the type address, but is 12',
  ],
  [
    'a foreign primary type',
    { ...identity, primaryType: 'Person' },
    "typedData.primaryType must be the name of one of types (Identity), but is 'Person'",
  ],
  [
    'a short type',
    { ...identity, types: { Identity: [{ name: 'a', type: 'uint' }] } },
    "typedData.types.Identity[0].type must be a type of Solidity in full, such as address or uint256, or one of types, but is 'uint'",
  ],
  [
    'the domain as a type',
    { ...identity, types: { ...identity.types, EIP712Domain: [] } },
    'typedData.types.EIP712Domain follows from domain; leave it out',
  ],
  [
    'a type that is not used',
    { ...identity, types: { ...identity.types, Other: identity.types.Identity } },
    'typedData.types.Other is no part of Identity',
  ],
  [
    'a field twice',
    { ...identity, types: { Identity: [...identity.types.Identity, ...identity.types.Identity] } },
    "typedData.types.Identity[1].name must be a name of its own, but is 'recipient'",
  ],
  [
    'a missing field',
    { ...identity, message: {} },
    'typedData.message.recipient must be a value of the type address, but is missing',
  ],
  [
    'a further field',
    { ...identity, message: { recipient: '$subject', until: 5 } },
    'typedData.message.until is no field of Identity; its fields are recipient',
  ],
  [
    'an unknown placeholder',
    { ...identity, message: { recipient: '$recipient' } },
    "typedData.message.recipient must be a value or one of $subject, $policy, $chainId, $blockNumber, $blockHash, $issuedAt, $expiresAt, $nonce, but is '$recipient'",
  ],
  [
    'a placeholder of another type',
    { ...identity, message: { recipient: '$nonce' } },
    'typedData.message.recipient has the type address; $nonce is for uint64 or wider',
  ],
  [
    'nobody in the message',
    { ...identity, message: { recipient: sampleAddress(2) } },
    'typedData.message must have $subject in a field of type address: otherwise whoever has the signature may pass',
  ],
])('%s is a mistake in typed data', (_, setting, sentence) => {
  expect(() => readForm(setting)).toThrow(sentence)
})

test('a message is read where a type holds itself', () => {
  const form = readForm({
    ...identity,
    types: {
      Identity: [
        { name: 'recipient', type: 'address' },
        { name: 'friends', type: 'Identity[]' },
      ],
    },
    message: { recipient: '$subject', friends: [{ recipient: '$subject', friends: [] }] },
  })
  const message = fillMessage(form, values)
  expect(
    hashTypedData({
      domain: identity.domain,
      types: {
        Identity: [
          { name: 'recipient', type: 'address' },
          { name: 'friends', type: 'Identity[]' },
        ],
      },
      primaryType: 'Identity',
      message,
    } as Parameters<typeof hashTypedData>[0]),
  ).toBe(toHex(hashMessage(form, message)))
})
