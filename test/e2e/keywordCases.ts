import {
  recipientAddresses,
  type ChainAttestation,
  type ChainSchema,
  type ExpectedAnswers,
} from './expectedAnswers.ts'

/** The records that a keyword must find. An absent predicate means that nothing of this kind is found. */
export interface KeywordCase {
  readonly keyword: string
  readonly schema?: (schema: ChainSchema) => boolean
  readonly attestation?: (attestation: ChainAttestation) => boolean
  readonly addresses?: (address: string) => boolean
}

/** An address that no record mentions. */
export const stranger = '0x00000000000000000000000000000000DeaDBeef'

const did = 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK'
const recipient = '0x8ba1f109551bD432803012645Ac136ddd64DBA72'
const zeroAddress = '0x0000000000000000000000000000000000000000'

/** Keywords of every class of docs/api.md, "Search", and what they must find, by the name of the class. */
export const keywordCases: Readonly<Record<string, (answers: ExpectedAnswers) => KeywordCase[]>> = {
  'that is a composite id': () => [
    {
      keyword: 'onchain_evm_31337_0x1',
      schema: ({ id }) => id === 'onchain_evm_31337_0x1',
      attestation: ({ id }) => id === 'onchain_evm_31337_0x1',
    },
    { keyword: 'onchain_evm_31337_0xFFFF' },
    { keyword: 'SPA_abc' },
  ],
  'that is an address': (answers) =>
    [recipient, recipient.toLowerCase(), ` ${recipient.toUpperCase().replace('0X', '0x')} `]
      .map((keyword): KeywordCase => ({
        keyword,
        attestation: ofAddress(recipient),
        addresses: (address) => address === recipient,
      }))
      .concat(
        ['registrant', 'resolver'].map((role): KeywordCase => {
          const schema = answers.schemas.find(({ label }) => label === 'with a hook')
          const keyword = (role === 'registrant' ? schema?.registrant : schema?.resolver) ?? ''
          return {
            keyword,
            schema: ({ registrant, resolver }) => registrant === keyword || resolver === keyword,
            attestation: ofAddress(keyword),
            addresses: (address) => address === keyword,
          }
        }),
        [{ keyword: labelled(answers, 'to oneself').attester }].map(({ keyword }): KeywordCase => ({
          keyword,
          attestation: ofAddress(keyword),
          addresses: (address) => address === keyword,
        })),
        { keyword: stranger },
        // A schema with a resolver of all zeros has none.
        {
          keyword: zeroAddress,
          attestation: ofAddress(zeroAddress),
          addresses: (address) => address === zeroAddress,
        },
      ),
  'that is the hash of a creating transaction': (answers) => {
    const batch = labelled(answers, 'of many, 3').transactionHash
    const schema = answers.schemas[0]?.transactionHash ?? ''
    return [
      { keyword: batch.toUpperCase().replace('0X', '0x'), attestation: (a) => a.transactionHash === batch },
      { keyword: schema, schema: (s) => s.transactionHash === schema },
      { keyword: labelled(answers, 'flat payload').revokeTransactionHash },
    ]
  },
  'that begins local ids': () => [
    {
      keyword: '0x1',
      schema: ({ localId }) => localId.startsWith('0x1'),
      attestation: ({ localId }) => localId.startsWith('0x1'),
    },
    {
      keyword: '0X1A',
      schema: ({ localId }) => localId === '0x1a',
      attestation: ({ localId }) => localId.startsWith('0x1a'),
    },
    {
      keyword: '0x01',
      attestation: ({ indexingValue, recipients }) => [indexingValue, ...recipients].includes('0x01'),
    },
    {
      keyword: '0x07',
      attestation: ({ indexingValue, recipients }) => [indexingValue, ...recipients].includes('0x07'),
    },
    { keyword: '0xC0FFEE', attestation: ({ recipients }) => recipients.includes('0xc0ffee') },
    { keyword: '0x8ba1f1', addresses: (address) => address.toLowerCase().startsWith('0x8ba1f1') },
    { keyword: '0x8ba1f' },
  ],
  'that is a number': () => [
    {
      keyword: '26',
      schema: (schema) => schema.localId === '0x1a' || contains('26')(schema),
      attestation: ({ localId, indexingValue }) => localId === '0x1a' || indexingValue === '26',
    },
    {
      keyword: '00001',
      schema: (schema) => schema.localId === '0x1',
      attestation: ({ localId }) => localId === '0x1',
    },
    { keyword: '100', schema: contains('100'), attestation: ({ localId }) => localId === '0x64' },
    { keyword: '18446744073709551616' },
  ],
  'that is a text': () => [
    ...[
      'harbour',
      'USUAL',
      'twin',
      'for',
      '証明',
      '書',
      '🎓',
      'شهادة',
      '100%',
      '"quoted"',
      'snake_case',
      'and',
      'café',
      '<b>',
      'a',
      '%',
      '_',
    ].map((keyword): KeywordCase => ({ keyword, schema: contains(keyword.toLowerCase()) })),
    { keyword: 'CAFE\u0301', schema: contains('café') },
    { keyword: ' only a name ', schema: contains('only a name') },
    { keyword: 'a%n' },
    { keyword: "' OR 1=1 --" },
    { keyword: 'two' },
    { keyword: 'did:key' },
  ],
  'that is a value': () => [
    {
      keyword: did,
      attestation: ({ indexingValue, recipients }) => indexingValue === did || recipients.includes(did),
    },
    { keyword: did.toUpperCase() },
    { keyword: 'invoice-26', attestation: ({ indexingValue }) => indexingValue === 'invoice-26' },
    {
      keyword: 'same',
      schema: contains('same'),
      attestation: ({ indexingValue }) => indexingValue === 'same',
    },
    {
      keyword: '索引 🔑 "100%" _',
      attestation: ({ indexingValue }) => indexingValue === '索引 🔑 "100%" _',
    },
    {
      keyword: '田中 美咲 <t@example.jp>',
      attestation: ({ recipients }) => recipients.includes('田中 美咲 <t@example.jp>'),
    },
  ],
}

function ofAddress(address: string): (attestation: ChainAttestation) => boolean {
  return (attestation) =>
    attestation.attester === address ||
    recipientAddresses(attestation).includes(address) ||
    attestation.indexingValue.toLowerCase() === address.toLowerCase()
}

function contains(text: string): (schema: ChainSchema) => boolean {
  return ({ name, description }) =>
    [name, description].some((of) => of.normalize('NFC').toLowerCase().includes(text))
}

function labelled({ attestations }: ExpectedAnswers, label: string): ChainAttestation {
  const found = attestations.find((attestation) => attestation.label === label)
  if (found === undefined) throw new Error(`the scenario has no attestation ${label}`)
  return found
}
