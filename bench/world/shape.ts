/**
 * The figures of the world of attestations, each with its source. "Assumed" marks figures that nobody has published;
 * they fill the gaps between published ones. Counts are of the whole world; `--share` takes a part of each.
 */

/** Attestations of one kind on one chain, under schemas of their own. */
export interface RecordShape {
  /** Distinguishes the kinds of a protocol on a chain. */
  readonly name: string
  readonly protocol: 'sign' | 'eas' | 'verax'
  readonly attestations: number
  readonly schemas: number
  /** Share of the attestations under the first schema; the others follow Zipf's law. */
  readonly firstSchema: number
  readonly attesters: number
  /** Share of the attestations by the first attester; the others follow Zipf's law. */
  readonly firstAttester: number
  /** Share of the attestations that are revoked later. */
  readonly revoked: number
  /** Share of the attestations that expire, after `termDays`. */
  readonly expiring: number
  readonly termDays: number
  /** The form of the first schema, by its place in `forms`; undefined: schemas take all forms in turn. */
  readonly firstForm?: number
  /** The part of the history in which these are made, as shares of it; undefined: all of it. */
  readonly within?: readonly [number, number]
}

export interface ChainShape {
  readonly chainId: number
  readonly records: readonly RecordShape[]
  /** Agents of ERC-8004, and feedback about them. */
  readonly agents: number
  readonly feedback: number
}

/** The months that the history spans: Sign's and Verax's first records are of late 2023; measured to late 2026. */
export const historyDays = 3 * 365
/** The newest block of each chain: 2026-11-01. */
export const worldEnd = 1_793_491_200

/**
 * Records to an account: Verax counted 1.7 million attestations to 500,000 addresses in its first half year. Assumed for
 * all protocols.
 */
export const recordsPerRecipient = 3.4

/** Days from an attestation to its revocation: assumed. */
export const revocationDelayDays = 40

/**
 * Share of agents that later set metadata, are transferred, and get a response to feedback: assumed. The registries had
 * 10^5 to 10^6 logs in mid 2026.
 */
export const agentMetadataShare = 0.3
export const agentTransferShare = 0.03

/**
 * Forms of schemas: parameters, as EAS and Verax write them, and the kinds of their values.
 * - `flag`: a boolean.
 * - `small`: a number from 0 to 5.
 * - `large`: one of a million numbers.
 * - `hash`: one of 300 hashes.
 * - `often`: a word that 40 % of the payloads share, or one of 50 others.
 * - `text`: 20 to 60 characters.
 * - `json`: 150 to 4,000 characters, mostly short.
 */
export const forms: readonly { readonly text: string; readonly values: readonly ValueKind[] }[] = [
  // Coinbase's account schema (coinbase/verifications @8101e93).
  { text: 'bool verifiedAccount', values: ['flag'] },
  // The campaign: two values to filter by, one of them frequent.
  { text: 'string tier,uint32 points,bytes32 round', values: ['often', 'large', 'hash'] },
  // Attendance, as in eas-sdk's examples.
  { text: 'bytes32 eventId,uint8 ticketType', values: ['hash', 'small'] },
  // Coinbase's country schema.
  { text: 'string verifiedCountry', values: ['often'] },
  // Profiles, as Farcaster clients attest.
  { text: 'uint256 fid,string userName,uint8 protocol', values: ['large', 'text', 'small'] },
  // Documents of JSON, as Karma GAP writes them (show-karma/karma-gap-sdk).
  { text: 'string json', values: ['json'] },
]
export type ValueKind = 'flag' | 'small' | 'large' | 'hash' | 'often' | 'text' | 'json'

/** The word that 40 % of the payloads of a form with `often` share: an aim of the benchmark, no figure of the world. */
export const frequentWord = 'bronze'
export const frequentShare = 0.4

/** Half of the records of EAS are by one attester in twenty: assumed. */
function eas(chainId: number, attestations: number): RecordShape {
  return {
    name: `eas ${chainId}`,
    protocol: 'eas',
    attestations,
    schemas: Math.ceil(attestations / 2_000),
    firstSchema: 0.25,
    attesters: Math.ceil(attestations / 20),
    firstAttester: 0.15,
    revoked: 0.03,
    expiring: 0.1,
    termDays: 365,
  }
}

/** Sign published 400,000 schemas with 6.8 million attestations in 2024: one to 17. */
function sign(chainId: number, attestations: number): RecordShape {
  return {
    name: `sign ${chainId}`,
    protocol: 'sign',
    attestations,
    schemas: Math.ceil(attestations / 17),
    firstSchema: 0.4,
    attesters: Math.ceil(attestations / 20),
    firstAttester: 0.3,
    revoked: 0.01,
    expiring: 0.1,
    termDays: 365,
  }
}

/** A dozen issuers made nearly all records of Verax by early 2024. */
function verax(chainId: number, attestations: number): RecordShape {
  return {
    name: `verax ${chainId}`,
    protocol: 'verax',
    attestations,
    schemas: 60,
    firstSchema: 0.3,
    attesters: 2_000,
    firstAttester: 0.3,
    revoked: 0.01,
    expiring: 0.3,
    termDays: 30,
  }
}

/** 1.49 million of Linea's 6,366,748 records (the id counter in 2026) are under one schema, 1.3 million by one attester. */
const veraxLinea: RecordShape = {
  ...verax(59144, 6_366_748),
  schemas: 300,
  firstSchema: 1.49 / 6.366_748,
  attesters: 200_000,
  firstAttester: 1.3 / 6.366_748,
  firstForm: 4,
}

/** 314,295 living attestations of one attester under Coinbase's account schema on Base; 3 % revoked: assumed. */
const coinbase: RecordShape = {
  ...eas(8453, Math.round(314_295 / 0.97)),
  name: 'coinbase',
  schemas: 1,
  firstSchema: 1,
  attesters: 1,
  firstAttester: 1,
  expiring: 0,
  firstForm: 0,
}

/** A million records in a month, by one attester under one schema. */
const campaign: RecordShape = {
  ...coinbase,
  name: 'campaign',
  attestations: 1_000_000,
  revoked: 0,
  firstForm: 1,
  within: [0.8, 0.8 + 30 / historyDays],
}

/**
 * 25 chains. EAS: some ten million records over a dozen chains; their shares of it are assumed. Sign: 6.8 million by its
 * statement of 2024, which counts off-chain records and test networks; 300,000 on chain are assumed. ERC-8004: 230,000
 * agents, of them 35,367 on Ethereum (2026-06-24), most on BSC; feedback mostly on Base; 300,000 are assumed.
 */
export const chains: readonly ChainShape[] = [
  chain(
    8453,
    [eas(8453, 3_076_000), coinbase, campaign, sign(8453, 50_000), verax(8453, 10_000)],
    45_000,
    150_000,
  ),
  chain(59144, [veraxLinea, eas(59144, 500_000)], 3_000, 4_000),
  chain(10, [eas(10, 1_800_000), sign(10, 20_000)], 4_000, 6_000),
  chain(534352, [eas(534352, 900_000), sign(534352, 10_000)], 2_000, 3_000),
  chain(42161, [eas(42161, 900_000), sign(42161, 20_000), verax(42161, 10_000)], 10_000, 20_000),
  chain(324, [eas(324, 400_000)]),
  chain(42220, [eas(42220, 350_000), sign(42220, 10_000)], 6_000, 10_000),
  chain(137, [eas(137, 300_000), sign(137, 40_000)], 8_000, 10_000),
  chain(1868, [eas(1868, 150_000)]),
  chain(57073, [eas(57073, 100_000)]),
  chain(130, [eas(130, 50_000)]),
  chain(1, [eas(1, 50_000), sign(1, 5_000)], 35_367, 30_000),
  chain(11155111, [eas(11155111, 60_000), sign(11155111, 5_000)]),
  chain(84532, [eas(84532, 40_000), sign(84532, 5_000)]),
  chain(56, [sign(56, 70_000), verax(56, 10_000)], 90_000, 50_000),
  chain(204, [sign(204, 40_000)]),
  chain(7000, [sign(7000, 20_000)]),
  chain(100, [sign(100, 5_000)], 6_000, 4_000),
  chain(43114, [], 8_000, 5_000),
  chain(5000, [], 3_000, 2_000),
  chain(143, [], 5_000, 3_000),
  chain(2741, [], 2_000, 1_000),
  chain(4326, [], 1_500, 1_000),
  chain(167000, [], 1_000, 500),
  chain(1088, [], 500, 500),
]

function chain(chainId: number, records: readonly RecordShape[], agents = 0, feedback = 0): ChainShape {
  return { chainId, records, agents, feedback }
}

/** The attestations of the whole world, feedback included. */
export const worldAttestations = chains.reduce(
  (sum, { records, feedback }) => sum + feedback + records.reduce((all, each) => all + each.attestations, 0),
  0,
)
