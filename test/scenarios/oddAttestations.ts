import { type Address, concatHex, encodeAbiParameters, type Hex, pad, stringToHex } from 'viem'
import {
  encodeAddressRecipient,
  encodeRawRecipient,
  encodeTextRecipient,
} from '@attestry/demo/encodeRecipient.ts'
import { usualSchema } from './oddSchemas.ts'
import type { AttestationCase } from './recordCases.ts'

/** An account with letters in its address, so that lower case, upper case and checksum case differ. */
export const recipient: Address = '0x8ba1f109551bD432803012645Ac136ddd64DBA72'
const recipientLower = '0x8ba1f109551bd432803012645ac136ddd64dba72'
const recipientUpper = '0x8BA1F109551BD432803012645AC136DDD64DBA72'
/** The last letter has the wrong case, so that the checksum is invalid. */
const recipientMiswritten = '0x8ba1f109551bD432803012645Ac136ddd64Dba72'
const other: Address = '0xAb5801a7D398351b8bE11C439e05C5B3259aeC9B'
const zero = '0x0000000000000000000000000000000000000000'
const did = 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK'

const flatPayload = encodeAbiParameters([{ type: 'string' }, { type: 'uint256' }], ['Invoice 26', 1_250n])
const tuplePayload = encodeAbiParameters(
  [
    {
      type: 'tuple',
      components: [
        { name: 'title', type: 'string' },
        { name: 'amount', type: 'uint256' },
      ],
    },
  ],
  [{ title: 'Rechnung № 26', amount: 2n ** 256n - 1n }],
)

/**
 * Attestations with one unusual property each, to be sent one by one by `attester`, and the meaning of their
 * recipients (docs/api.md, "Identifiers and addresses").
 */
export function oddAttestations(attester: Address, timeS: number): readonly AttestationCase[] {
  const under =
    (schema: string) =>
    (
      label: string,
      input: Omit<AttestationCase['input'], 'attester'>,
      more: Partial<AttestationCase> = {},
    ): AttestationCase => ({
      label,
      schema,
      input: { attester, ...input },
      ...more,
    })
  const usual = under(usualSchema)
  const received = (label: string, sent: readonly Hex[], recipients: readonly string[]): AttestationCase =>
    usual(label, { recipients: sent }, { recipients })
  return [
    usual('bare', {}),
    usual('flat payload', { data: flatPayload, indexingValue: 'invoice-26' }),
    usual('tuple payload', { data: tuplePayload }),
    usual('undecodable payload', { data: '0xdeadbeef01' }),
    usual('text payload', { data: stringToHex('All quiet. 平安') }),
    usual('long payload', { data: `0x${'5a'.repeat(4096)}` }),

    received('recipient as address', [encodeAddressRecipient(recipient)], [recipient]),
    received('recipient as text', [encodeTextRecipient(recipient)], [recipient]),
    received('recipient as lower-case text', [encodeTextRecipient(recipientLower)], [recipient]),
    received('recipient as upper-case text', [encodeTextRecipient(recipientUpper)], [recipient]),
    received('recipient with a wrong checksum', [encodeTextRecipient(recipientMiswritten)], [recipient]),
    received('recipient as 20 bytes', [encodeRawRecipient(recipient)], [recipient]),
    received('the zero address', [encodeAddressRecipient(zero)], [zero]),
    received('a did', [encodeTextRecipient(did)], [did]),
    received('an empty text', [encodeTextRecipient('')], ['']),
    received(
      'a text in another script',
      [encodeTextRecipient('田中 美咲 <t@example.jp>')],
      ['田中 美咲 <t@example.jp>'],
    ),
    received('an address and a space', [encodeTextRecipient(`${recipient} `)], [`${recipient} `]),
    received('no bytes', ['0x'], ['0x']),
    received('one byte', ['0x07'], ['0x07']),
    received('21 bytes', [concatHex([encodeRawRecipient(recipient), '0xff'])], [`${recipientLower}ff`]),
    received(
      'a word that is no address',
      [pad('0x01', { dir: 'right', size: 32 })],
      ['0x0100000000000000000000000000000000000000000000000000000000000000'],
    ),
    received(
      'several recipients, one of them three times',
      [
        encodeTextRecipient(did),
        encodeAddressRecipient(recipient),
        encodeTextRecipient(recipientLower),
        encodeAddressRecipient(other),
        encodeRawRecipient(recipient),
        '0xc0ffee',
      ],
      [did, recipient, recipient, other, recipient, '0xc0ffee'],
    ),
    usual('to oneself', { recipients: [encodeAddressRecipient(attester)] }, { recipients: [attester] }),

    usual('indexed by an address', { indexingValue: recipient }),
    usual('indexed by a lower-case address', { indexingValue: recipientLower }),
    usual(
      'indexed by its recipient',
      { indexingValue: recipientLower, recipients: [encodeAddressRecipient(recipient)] },
      { recipients: [recipient] },
    ),
    usual('indexed by its attester', { indexingValue: attester }),
    usual(
      'indexed by the text of its recipient',
      { indexingValue: did, recipients: [encodeTextRecipient(did), encodeTextRecipient(did)] },
      { recipients: [did, did] },
    ),
    usual('indexed by a number', { indexingValue: '26' }),
    usual('indexed by a did', { indexingValue: did }),
    usual('indexed in another script', { indexingValue: '索引 🔑 "100%" _' }),
    usual('indexed by spaces', { indexingValue: '  two  ' }),
    usual('indexed at length', { indexingValue: 'k'.repeat(1000) }),

    usual('linked', { data: '0x01' }, { linked: 'bare' }),
    usual('linked to a linked one', { data: '0x02' }, { linked: 'linked' }),

    usual('expired', { validUntil: BigInt(timeS - 1000) }),
    usual('valid for a day', { validUntil: BigInt(timeS + 86_400) }),
    usual('valid beyond 2^53', { validUntil: 9_007_199_254_740_993n }),
    usual('valid as long as can be', { validUntil: 18_446_744_073_709_551_615n }),

    under('limited validity')('within the limit', { validUntil: BigInt(timeS + 40_000) }),
    under('greatest validity')('within the greatest limit', { validUntil: 18_446_744_073_709_551_615n }),
    under('with a hook')('through a hook', { data: '0x99' }),
    under('irrevocable')('irrevocable', { data: '0x77' }),
    under('free text')('under free text', { data: '0x66' }),
    under('empty text')('under an empty text', {}),
    under('on Arweave')('stored on Arweave', {
      dataLocation: 1,
      data: encodeAbiParameters([{ type: 'string' }], ['ar-payload-Zt7y3uPqk0v2N5wXo1eC8mRj4LbD6sAhGf']),
    }),
    under('on IPFS')('stored on IPFS', {
      dataLocation: 2,
      data: encodeAbiParameters(
        [{ type: 'string' }],
        ['bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi'],
      ),
    }),
    under('elsewhere')('stored elsewhere', { dataLocation: 3, data: '0x1234' }),
    under(usualSchema)('stored elsewhere than its schema', { dataLocation: 2, data: '0xabcd' }),
    under('usual')('linked across schemas', {}, { linked: 'under free text' }),
  ]
}
