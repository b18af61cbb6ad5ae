import { encodeRawRecipient } from '../encodeRecipient.ts'
import type { Random } from '../random.ts'
import { noRecipient, pickAccount } from './demoRecipients.ts'
import type { DemoSchema } from './demoSchema.ts'
import { cities, countries, events, people, projects } from './words.ts'

const dayS = 86_400

/** The schemas on the chain of EAS. The people are those of the other chain; the types cover all that Solidity has. */
export const easSchemas: readonly DemoSchema[] = [
  easSchema('address subject,uint8 level,string country,uint64 checkedAt', {
    name: 'KYC Passport',
    values: (random) => [
      pickAccount(random),
      random.integer(1, 3),
      random.pick(countries),
      BigInt(1_700_000_000 + random.integer(0, 9_000_000)),
    ],
    registrant: 1,
    attesters: [1, 2],
    weight: 10,
    rhythm: 'growing',
    batch: [2, 12],
    revokedShare: 0.08,
    validUntil: (random, timeS) => BigInt(timeS + random.integer(5, 365) * dayS),
  }),
  easSchema('bool isHuman', {
    name: 'Human',
    values: () => [true],
    registrant: 2,
    attesters: [2, 5],
    weight: 9,
    rhythm: 'growing',
    revokedShare: 0.04,
  }),
  easSchema('string occasion,string city,uint32 ticket', {
    name: 'Attended',
    values: (random, number) => [random.pick(events), random.pick(cities), 1000 + number],
    registrant: 0,
    attesters: [0, 12],
    weight: 12,
    rhythm: { daysAgo: 4, hours: 30 },
    batch: [6, 30],
    revocable: false,
  }),
  easSchema('bytes32 repository,string[] files,bool approved,int16 score', {
    name: 'Code Review',
    values: (random) => [
      random.bytes(32),
      [`src/${random.pick(['main', 'index', 'store'])}.ts`, 'README.md'].slice(0, random.integer(1, 2)),
      random.chance(0.8),
      random.integer(-2, 2),
    ],
    registrant: 14,
    attesters: [0, 14, 15],
    weight: 6,
    rhythm: 'steady',
    linkedShare: 0.3,
    revokedShare: 0.1,
  }),
  easSchema('(string holder,address wallet,uint16 shareBps)[] owners,uint256 valuation,string project', {
    name: 'Cap Table',
    values: (random) => [
      [6_000, 4_000].map((shareBps) => ({
        holder: random.pick(people),
        wallet: pickAccount(random),
        shareBps,
      })),
      BigInt(random.integer(1, 900)) * 10n ** 22n,
      random.pick(projects),
    ],
    registrant: 6,
    attesters: [6],
    weight: 3,
    rhythm: 'fading',
    revokedShare: 0.05,
  }),
  easSchema('bytes4 sensor,int24 milliCelsius,uint64[4] readings,(int32 lat,int32 lon) place,bytes raw', {
    name: 'Cold Chain Reading',
    values: (random) => [
      random.bytes(4),
      random.integer(-25_000, 9_000),
      Array.from({ length: 4 }, () => BigInt(random.integer(0, 100_000))),
      { lat: random.integer(-60_000_000, 60_000_000), lon: random.integer(-180_000_000, 180_000_000) },
      random.bytes(random.integer(0, 48)),
    ],
    registrant: 8,
    attesters: [8, 9],
    weight: 7,
    rhythm: 'steady',
    recipients: noRecipient,
    batch: [1, 6],
  }),
  easSchema('bytes32 proposal,uint8 choice,uint256 weight,address[] delegators', {
    name: 'Delegated Vote',
    values: (random) => [
      random.bytes(32),
      random.integer(0, 2),
      BigInt(random.integer(1, 900_000)) * 10n ** 18n,
      Array.from({ length: random.integer(0, 3) }, () => pickAccount(random)),
    ],
    registrant: 12,
    attesters: [12, 13, 14],
    weight: 8,
    rhythm: { daysAgo: 12, hours: 60 },
    recipients: noRecipient,
    revocable: false,
  }),
]

/** A schema of EAS: its text is the list of its fields, and an attestation has one recipient at most. */
function easSchema(
  text: string,
  content: Omit<DemoSchema, 'text' | 'fields' | 'payload' | 'description'>,
): DemoSchema {
  const recipient = (random: Random) => [encodeRawRecipient(pickAccount(random))]
  return { recipients: recipient, ...content, description: '', text, fields: [], payload: 'parameters' }
}
