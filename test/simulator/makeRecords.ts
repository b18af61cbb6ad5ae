import { encodeString, tail, utf8Digits, word } from './abiWords.ts'
import { createRandom, mixSeeds, type Random } from './random.ts'
import type {
  TrueAnchor,
  TrueEasAttestation,
  TrueEasSchema,
  TrueField,
  TrueRecipient,
  TrueSignAttestation,
  TrueSignSchema,
  TrueVeraxAttestation,
  TrueVeraxPortal,
  TrueVeraxSchema,
} from './trueRecords.ts'

/** The content of records, each a function of the seed, the fork that it was made on and its number. */

/** The schema of EAS by which schemas are named; the first one of every simulated chain. */
export const nameSchemaUid = '0x44d562ac1d7cd77e232978687fea027ace48f719cf1d58c7888e509663bb87fc'

const uint64Max = 2n ** 64n - 1n

/** The account of a number, 40 digits. */
export function accountOf(seed: number, index: number): string {
  return digits(createRandom(mixSeeds(seed, 0xacc, index)), 20)
}

export function makeSignSchema(seed: number, fork: number, id: number): TrueSignSchema {
  const random = createRandom(mixSeeds(seed, 11, fork, id))
  const name = `${random.pick(['KYC passed', 'Release audit', '学位证书', 'שם', 'Attendance', '"quoted" %_'])} ${id}`
  const description = random.pick(['', `the schema ${id}`, 'zwei Zeilen\nund ein Tab\t'])
  const fields = [
    { name: 'subject', type: 'string' },
    { name: 'score', type: 'uint256' },
  ]
  const text = random.pick<Pick<TrueSignSchema, 'text' | 'name' | 'description' | 'fields'>>([
    { text: JSON.stringify({ name, description, data: fields }), name, description, fields },
    { text: JSON.stringify({ name, description, data: fields }), name, description, fields },
    { text: JSON.stringify({ name, data: 'none' }), name, description: '', fields: [] },
    {
      text: JSON.stringify({
        description,
        data: [{ name: 'a', type: [{ x: 1 }], storage: 'ipfs' }, { type: 'b' }],
      }),
      name: '',
      description,
      fields: [{ name: 'a', type: '[{"x":1}]' }],
    },
    { text: `free text ${id} é`, name: '', description: '', fields: [] },
    { text: '', name: '', description: '', fields: [] },
  ])
  return {
    registrant: accountOf(seed, random.integer(0, 5)),
    revocable: random.chance(0.8),
    dataLocation: random.chance(0.9) ? 0 : random.integer(1, 3),
    maxValidFor: random.chance(0.1) ? uint64Max : BigInt(random.integer(0, 3) * 86_400),
    hook: random.chance(0.8) ? '0'.repeat(40) : accountOf(seed, random.integer(20, 22)),
    ...text,
  }
}

/** Numbers of the earlier records that a record may refer to, and the time of its block. */
export interface RecordSurroundings {
  readonly schemas: number
  readonly attestations: number
  readonly timestamp: number
  readonly blockTime: number
  /** How many accounts attestations are made to. */
  readonly recipientAccounts: number
  /** Whether payloads are encoded by the fields of their schemas, or mere bytes. */
  readonly hasPayloads: boolean
}

export function makeSignAttestation(
  seed: number,
  fork: number,
  id: number,
  { schemas, attestations, timestamp, blockTime, recipientAccounts, hasPayloads }: RecordSurroundings,
): TrueSignAttestation {
  const random = createRandom(mixSeeds(seed, 12, fork, id))
  const fields = hasPayloads ? 'string subject,uint256 score' : ''
  return {
    schemaId: 1 + Math.floor(random.next() ** 2 * schemas),
    linkedId: attestations > 0 && random.chance(0.1) ? random.integer(1, attestations) : 0,
    attester: accountOf(seed, random.integer(0, 8)),
    validUntil: random.pick([0n, uint64Max, BigInt(timestamp + random.integer(0, 10 ** 6))]),
    dataLocation: random.chance(0.9) ? 0 : random.integer(1, 3),
    indexingKey: random.pick([
      '',
      `key-${random.integer(1, 9)}`,
      `0x${accountOf(seed, random.integer(0, 9))}`,
      'ключ "1"\0',
    ]),
    recipients: Array.from({ length: random.pick([0, 1, 1, 1, 2, 3]) }, () =>
      makeRecipient(random, accountOf(seed, random.integer(1, recipientAccounts))),
    ),
    data: makePayload(mixSeeds(seed, 17, fork, id), fields, digits(random, random.integer(0, 80))),
    bornRevokedAt: random.chance(0.05)
      ? random.pick([0, 1, timestamp, timestamp + blockTime, timestamp + 50 * blockTime, timestamp + 10 ** 9])
      : null,
    unreadable: random.chance(0.01),
  }
}

/** The reason of the revocation of an attestation. */
export function makeReason(seed: number, id: number): string {
  return createRandom(mixSeeds(seed, 13, id)).pick(['', 'expired document', '撤销', 'a "quoted" reason\n'])
}

export function makeEasSchema(seed: number, fork: number, ordinal: number, uid: string): TrueEasSchema {
  const random = createRandom(mixSeeds(seed, 14, fork, ordinal))
  const parameters = random.pick<{ readonly text: string; readonly fields: readonly TrueField[] }>([
    {
      text: 'bytes32 eventId, uint8 vote',
      fields: [
        { name: 'eventId', type: 'bytes32' },
        { name: 'vote', type: 'uint8' },
      ],
    },
    {
      text: 'string name,(uint8 a, string b)[] parts',
      fields: [
        { name: 'name', type: 'string' },
        { name: 'parts', type: '(uint8 a, string b)[]' },
      ],
    },
    { text: 'uint256', fields: [{ name: '', type: 'uint256' }] },
    { text: 'nonsense!!', fields: [] },
    { text: '', fields: [] },
  ])
  const naming = {
    text: 'bytes32 schemaId,string name',
    fields: [
      { name: 'schemaId', type: 'bytes32' },
      { name: 'name', type: 'string' },
    ],
  }
  return {
    uid,
    registerer: accountOf(seed, random.integer(0, 5)),
    resolver: ordinal === 1 || random.chance(0.7) ? '0'.repeat(40) : accountOf(seed, random.integer(20, 22)),
    revocable: ordinal === 1 || random.chance(0.7),
    ...(ordinal === 1 ? naming : parameters),
  }
}

/** `schemaOf` and `attestationUidOf` look up what stands on the same chain before. */
export function makeEasAttestation(
  seed: number,
  fork: number,
  ordinal: number,
  uid: string,
  { schemas, attestations, timestamp, recipientAccounts, hasPayloads }: RecordSurroundings,
  schemaOf: (ordinal: number) => TrueEasSchema,
  attestationUidOf: (ordinal: number) => string,
): TrueEasAttestation {
  const random = createRandom(mixSeeds(seed, 15, fork, ordinal))
  const schema = schemaOf(random.chance(0.15) ? 1 : random.integer(1, schemas))
  const named = schema.uid === nameSchemaUid ? schemaOf(random.integer(1, schemas)) : null
  const name = `${random.pick(['Votes', 'יום', 'Badge', ''])} ${ordinal}`.trim()
  const wellFormed = random.chance(0.85)
  const names = named !== null && wellFormed ? { schemaUid: named.uid, name } : null
  const fields = hasPayloads ? schema.text : ''
  return {
    uid,
    schemaUid: schema.uid,
    refUid: attestations > 0 && random.chance(0.1) ? attestationUidOf(random.integer(1, attestations)) : null,
    // Half of those who name a schema have registered it; the others' names must not count.
    attester: named !== null && random.chance(0.6) ? named.registerer : accountOf(seed, random.integer(0, 8)),
    recipient: random.chance(0.2) ? null : accountOf(seed, random.integer(1, recipientAccounts)),
    expirationTime: random.pick([0n, uint64Max, BigInt(timestamp + 1000)]),
    revocable: random.chance(0.9),
    data:
      names === null
        ? makePayload(mixSeeds(seed, 18, fork, ordinal), fields, digits(random, random.integer(0, 70)))
        : encodeName(names.schemaUid, names.name),
    names,
  }
}

/** The id of the attestation of Verax with a number; the prefix of the chain stands in front. */
export function veraxId(number: number): string {
  return `0x0005${number.toString(16).padStart(60, '0')}`
}

/** Whether the owner of a portal registered it as revocable. */
export function isRevocablePortal(portal: string): boolean {
  return Number.parseInt(portal.slice(-1), 16) < 12
}

export function makeVeraxSchema(seed: number, fork: number, ordinal: number, id: string): TrueVeraxSchema {
  const random = createRandom(mixSeeds(seed, 19, fork, ordinal))
  const subject = { name: 'subject', type: 'string' }
  const score = { name: 'score', type: 'uint256' }
  const parameters = random.pick<{ readonly text: string; readonly fields: readonly TrueField[] }>([
    { text: '(string subject, uint256 score)', fields: [subject, score] },
    { text: 'string subject,uint256 score', fields: [subject, score] },
    { text: '(subject string, score uint256)', fields: [subject, score] },
    { text: 'uint256', fields: [{ name: '', type: 'uint256' }] },
    { text: 'nonsense!!', fields: [] },
  ])
  return {
    id,
    name: `${random.pick(['Proof of Humanity', '学位证书', '"quoted" %_'])} ${ordinal}`,
    description: random.pick(['', 'zwei Zeilen\nund ein Tab\t']),
    context: random.pick(['', 'https://schema.org/Person']),
    ...parameters,
  }
}

export function makeVeraxAttestation(
  seed: number,
  fork: number,
  number: number,
  { schemas, timestamp, recipientAccounts, hasPayloads }: RecordSurroundings,
  schemaOf: (ordinal: number) => TrueVeraxSchema,
  replaces: string | null,
): TrueVeraxAttestation {
  const random = createRandom(mixSeeds(seed, 20, fork, number))
  const schema = schemaOf(random.integer(1, schemas))
  const account = accountOf(seed, random.integer(1, recipientAccounts))
  const did = `did:key:z${random.integer(1, 9)}`
  const raw = `ff${digits(random, random.integer(20, 40))}`
  return {
    id: veraxId(number),
    schemaId: schema.id,
    replaces,
    attester: accountOf(seed, random.integer(0, 8)),
    portal: accountOf(seed, random.integer(40, 45)),
    expirationDate: random.pick([0n, uint64Max, BigInt(timestamp + 1000)]),
    subject: random.pick<TrueRecipient>([
      { digits: account, kind: 'address', value: account },
      { digits: word(account), kind: 'address', value: account },
      { digits: utf8Digits(`0x${account}`), kind: 'address', value: account },
      { digits: utf8Digits(did), kind: 'text', value: did },
      { digits: raw, kind: 'bytes', value: raw },
    ]),
    data: makePayload(
      mixSeeds(seed, 21, fork, number),
      hasPayloads && schema.fields.length === 2 ? 'string subject,uint256 score' : '',
      digits(random, random.integer(1, 70)),
    ),
  }
}

/** `massImport` checks neither schema nor subject nor data, and the owner of the registry is the attester. */
export function makeVeraxImport(
  seed: number,
  fork: number,
  number: number,
  around: RecordSurroundings,
  schemaOf: (ordinal: number) => TrueVeraxSchema,
): TrueVeraxAttestation {
  const random = createRandom(mixSeeds(seed, 22, fork, number))
  const record = makeVeraxAttestation(seed, fork, number, around, schemaOf, null)
  return {
    ...record,
    attester: accountOf(seed, 50),
    portal: accountOf(seed, random.integer(40, 49)),
    schemaId: random.chance(0.3) ? `0x${digits(random, 32)}` : record.schemaId,
    subject: random.chance(0.3) ? null : record.subject,
    data: random.chance(0.3) ? '' : record.data,
  }
}

/** The portals of the attestations are the first ones. */
export function makeVeraxPortal(seed: number, fork: number, ordinal: number): TrueVeraxPortal {
  const random = createRandom(mixSeeds(seed, 23, fork, ordinal))
  const portal = accountOf(seed, 39 + ordinal)
  return {
    portal,
    name: `${random.pick(['Portal', '学位', '"quoted" %_'])} ${ordinal}`,
    description: random.pick(['of some', 'zwei Zeilen\nund ein Tab\t']),
    owner: accountOf(seed, random.integer(0, 8)),
    ownerName: random.pick(['Humans Ltd', 'שם']),
    isRevocable: isRevocablePortal(portal),
    modules: Array.from({ length: random.integer(0, 2) }, (_, nth) => accountOf(seed, 60 + nth)),
  }
}

/** No two are equal. */
export function makeVeraxContext(seed: number, fork: number, ordinal: number): string {
  return `https://schema.org/${createRandom(mixSeeds(seed, 24, fork, ordinal)).pick(['Person', '学位', ''])}#${fork}-${ordinal}`
}

export function makeAnchor(seed: number, protocol: 'sign' | 'eas', fork: number, nth: number): TrueAnchor {
  const random = createRandom(mixSeeds(seed, 16, fork, nth, protocol === 'sign' ? 0 : 1))
  const id = `anchor-${digits(random, 4)}`
  if (protocol === 'sign') {
    return random.chance(0.7)
      ? { name: 'OffchainAttestationMade', id }
      : { name: 'OffchainAttestationRevoked', id, reason: 'withdrawn' }
  }
  return random.chance(0.6)
    ? { name: 'Timestamped', data: digits(random, 32) }
    : { name: 'RevokedOffchain', account: accountOf(seed, random.integer(0, 8)), data: digits(random, 32) }
}

function makeRecipient(random: Random, account: string): TrueRecipient {
  const did = `did:key:z${random.integer(1, 9)}`
  const raw = digits(random, random.integer(1, 19))
  return random.pick<TrueRecipient>([
    { digits: word(account), kind: 'address', value: account },
    { digits: encodeString(`0x${account}`), kind: 'address', value: account },
    { digits: account, kind: 'address', value: account },
    { digits: encodeString(did), kind: 'text', value: did },
    { digits: encodeString(''), kind: 'text', value: '' },
    { digits: raw, kind: 'bytes', value: raw },
  ])
}

/**
 * A payload of a schema with these fields, of few values, so that records share them; `noise` for one in four, and
 * where no schema has these fields. Drawn apart, so that a chain with payloads is otherwise the chain without them.
 */
function makePayload(seed: number, fields: string, noise: string): string {
  const random = createRandom(seed)
  if (fields === '' || random.chance(0.25)) return noise
  const text = () =>
    tail(
      utf8Digits(random.pick(['alice', 'alice', 'alice', '', 'a name of more than sixteen letters', 'שם'])),
    )
  const number = () => word(random.pick([0, 1, 1, 1, 1, 3]))
  switch (fields) {
    case 'string subject,uint256 score': {
      const score = number()
      return word(64) + (score === word(3) ? 'f'.repeat(64) : score) + text()
    }
    case 'bytes32 eventId, uint8 vote':
      return number().replaceAll('0', 'e') + number()
    case 'string name,(uint8 a, string b)[] parts': {
      const name = text()
      return word(64) + word(64 + name.length / 2) + name + encodeParts(random.integer(0, 3), number, text)
    }
    case 'uint256':
      return number()
    default:
      return noise
  }
}

/** `abi.encode` of a `(uint8 a, string b)[]`, from its length on. */
function encodeParts(count: number, number: () => string, text: () => string): string {
  let [offsets, parts] = ['', '']
  for (let index = 0; index < count; index++) {
    offsets += word(count * 32 + parts.length / 2)
    parts += number() + word(64) + text()
  }
  return word(count) + offsets + parts
}

/** `abi.encode(bytes32, string)`. */
function encodeName(schemaUid: string, name: string): string {
  return schemaUid.slice(2) + word(64) + tail(utf8Digits(name))
}

/** Random bytes as digits, four at a time: contents are made anew whenever they are asked for. */
function digits(random: Random, bytes: number): string {
  let text = ''
  while (text.length < bytes * 2) {
    text += Math.floor(random.next() * 4_294_967_296)
      .toString(16)
      .padStart(8, '0')
  }
  return text.slice(0, bytes * 2)
}
