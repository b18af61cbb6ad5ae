import { stringToHex } from 'viem'
import { encodeAddressRecipient, encodeRawRecipient } from '../encodeRecipient.ts'
import type { Random } from '../random.ts'
import { pickAccount } from './demoRecipients.ts'
import type { DemoSchema } from './demoSchema.ts'
import { cities, countries, people, projects } from './words.ts'

/** The reason of a revocation that makes the demo of Verax replace the attestation. */
export const renewed = 'Renewed'

const dayS = 86_400

/** The schemas of Verax: texts in parentheses and without, and subjects of several forms. */
export const veraxSchemas: readonly DemoSchema[] = [
  veraxSchema('(bool isHuman, uint8 score, string provider)', {
    name: 'Proof of Personhood',
    description: 'An account belongs to a unique person.',
    context: 'https://schema.org/Person',
    values: (random) => [[true, random.integer(20, 100), random.pick(people)]],
    registrant: 3,
    attesters: [3, 4],
    weight: 5,
    rhythm: 'growing',
    batch: [1, 8],
    revokedShare: 0.2,
    reasons: [renewed, renewed, ''],
    validUntil: (random, timeS) => BigInt(timeS + random.integer(60, 400) * dayS),
  }),
  veraxSchema('(address contractAddress, bytes32 codeHash, uint16 findings)', {
    name: 'Contract Audited',
    description: 'A contract was audited at this code.',
    context: 'https://schema.org/Review',
    values: (random) => [[pickAccount(random), random.bytes(32), random.integer(0, 12)]],
    registrant: 4,
    attesters: [4],
    weight: 2,
    rhythm: 'steady',
    revokedShare: 0.1,
    reasons: [''],
  }),
  veraxSchema('string city, string country, uint64 since', {
    name: 'Residence',
    description: 'Where a holder lives.',
    context: 'https://schema.org/Place',
    values: (random) => [
      random.pick(cities),
      random.pick(countries),
      BigInt(1_600_000_000 + random.integer(0, 90_000_000)),
    ],
    registrant: 10,
    attesters: [10],
    weight: 2,
    rhythm: 'fading',
    recipients: (random) => [stringToHex(`did:pkh:eip155:1:${pickAccount(random)}`)],
    revokedShare: 0.15,
    reasons: [renewed],
  }),
  veraxSchema('(string project, uint32 contributions)', {
    name: 'Contributor',
    description: 'Contributions to a project.',
    context: '',
    values: (random) => [[random.pick(projects), random.integer(1, 4_000)]],
    registrant: 10,
    attesters: [3, 10],
    weight: 3,
    rhythm: 'steady',
    recipients: (random) => [encodeAddressRecipient(pickAccount(random))],
    revocable: false,
  }),
]

function veraxSchema(
  text: string,
  content: Omit<DemoSchema, 'text' | 'fields' | 'payload'> & { readonly context: string },
): DemoSchema {
  const subject = (random: Random) => [encodeRawRecipient(pickAccount(random))]
  return { recipients: subject, ...content, text, fields: [], payload: 'parameters' }
}
