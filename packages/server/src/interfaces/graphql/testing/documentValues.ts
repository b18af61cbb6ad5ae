const numbers = ['0', '1', '3', '100', '101', '-1', 'null']
const ids = ['"onchain_evm_11155111_0x3"', '"onchain_evm_11155111_0x1"', '"onchain_evm_1_0x1"', '"x"', '""']
const addresses = [
  '"0xab00000000000000000000000000000000000002"',
  '"0xAB00000000000000000000000000000000000003"',
  '"0x"',
  '""',
]
const texts = ['"1"', '"x"', '""', '"愛"', 'null']
const times = ['1700100010', '0', '1.5', '-1', '1e300']
/**
 * Values in GraphQL syntax for arguments of our schema, for random documents over the sample index: valid values,
 * values without results, and invalid ones.
 */
export const documentValues: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(['page', 'size', 'first', 'last', 'limit', 'days'].map((name) => [name, numbers])),
  ...Object.fromEntries(
    ['id', 'schemaId', 'linkedAttestation', 'recipientHolds', 'attesterHolds'].map((name) => [name, ids]),
  ),
  ...Object.fromEntries(
    [
      'address',
      'attester',
      'registrant',
      'resolver',
      'account',
      'recipientHoldsAttester',
      'attesterHoldsAttester',
      'portal',
      'owner',
      'client',
    ].map((name) => [name, addresses]),
  ),
  ...Object.fromEntries(
    [
      'validAt',
      'attestedFrom',
      'attestedBefore',
      'revokedFrom',
      'revokedBefore',
      'registeredFrom',
      'registeredBefore',
    ].map((name) => [name, times]),
  ),
  ...Object.fromEntries(
    ['revoked', 'expired', 'revocable', 'active', 'hasFeedback'].map((name) => [
      name,
      ['true', 'false', 'null'],
    ]),
  ),
  asOf: ['"1700100005"', '"11155111:3"', '"x"', '""', '""', 'null', 'null', 'null'],
  after: ['"MTcwMDEwMDAwMy4xMTE1NTExMS4yMTAwMjk3NzI4"', '"x"', 'null'],
  before: ['"MTcwMDEwMDAwNC4xMTE1NTExMS4yMTAxMzQ2MzA0"', '""'],
  since: ['"1-1"', '"x"', '""', 'null'],
  recipient: ['"did:key:\\"z\\""', '"0xab00000000000000000000000000000000000003"', '"愛"'],
  chainId: ['"11155111"', '"1"', '"x"', '"99999999999999999999"'],
  protocol: ['"sign"', '"eas"', '"x y"'],
  signer: ['"0x878c92FD89d8E0B93Dc0a3c907A2adc7577e39c5"', '"x"'],
  linkedAttestationIn: ['["onchain_evm_11155111_0x1"]', '[]', 'null'],
  by: ['"schema"', '"day"', '"recipient"', '"field[x]"', '"x"'],
  type: ['"OffchainAttestationMade"', '"x"'],
  name: ['"x"', '"a.b"', '""', '"愛["'],
  in: ['["1", "x"]', '[]'],
  ...Object.fromEntries(
    ['value', 'equals', 'gt', 'gte', 'lt', 'lte', 'contains', 'startsWith', 'tag1', 'tag2', 'keyword'].map(
      (name) => [name, texts],
    ),
  ),
  attesterHops: ['1', '2', '3', '1.5', 'null'],
  indexingValue: ['"order \\"42\\""', '"\\u0000"'],
}
