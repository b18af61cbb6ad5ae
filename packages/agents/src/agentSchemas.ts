import { Type } from 'typebox'
import { contentStates } from '@attestry/core/model/knownContent.ts'
import {
  address,
  attestationSummary,
  compositeId,
  count,
  digits,
  exactly,
  hash,
  includedNames,
  orNull,
  pageMembers,
} from '@attestry/server/records/payloadSchemas.ts'

/** The payloads about agents (docs/erc8004.md, "Agents over REST"), as TypeBox schemas. */

const agentId = (description: string) =>
  Type.String({
    pattern: '^eip155:[0-9]+:0x[0-9a-fA-F]{40}/[0-9]+$',
    description,
    examples: ['eip155:8453:0x8004A169FB4a3325136EB29fA0ceB6D2e539a432/22'],
  })

const addressOrEmpty = (description: string) =>
  Type.String({ pattern: '^(0x[0-9a-fA-F]{40})?$', description })

const endpoint = exactly(
  {
    name: Type.String({ description: 'What the endpoint speaks, such as MCP or A2A.' }),
    endpoint: Type.String({ description: 'Its address, as the registration writes it.' }),
    version: Type.String({ description: 'May be empty.' }),
  },
  'An endpoint of the agent.',
  'AgentEndpoint',
)

const listed = (description: string) => Type.Array(Type.String(), { maxItems: 64, description })

const agentMembers = {
  id: agentId('Id of the agent: its chain, the registry of identities, and its number.'),
  chainId: digits('Decimal number of the chain.'),
  agentId: digits('Number of the agent in its registry; a uint256.'),
  owner: addressOrEmpty('The account that owns the agent; empty where no event has told of an owner.'),
  wallet: addressOrEmpty('The wallet of the agent; a transfer empties it.'),
  uri: Type.String({ description: 'Where the registration is. Lists cut it after 2,048 characters.' }),
  uriState: Type.Enum(['none', 'read', 'unread', ...contentStates], {
    description:
      '`read`: the URI holds the registration. `refused`: it should hold or lead to one, and does not. `none`: there is ' +
      'no URI. `unread`: it points elsewhere, and this server fetches no content; one that does has the state of the ' +
      'content here (docs/content.md).',
  }),
  uriReason: Type.String({ description: 'Why the registration is not known; otherwise empty.' }),
  name: Type.String({ description: 'As the registration says; empty where it is not known.' }),
  description: Type.String({ description: 'As the registration says; empty where it is not known.' }),
  image: Type.String({ description: 'As the registration says; empty where it is not known.' }),
  active: orNull(Type.Boolean(), 'As the registration says; null where it does not.'),
  endpoints: Type.Array(endpoint, { maxItems: 64, description: 'As the registration lists them.' }),
  x402: orNull(
    Type.Boolean(),
    'Whether the agent takes payments by x402, as the registration says; null where it does not.',
  ),
  trusts: listed('Models of trust that the registration says the agent supports.'),
  skills: listed('Skills of its OASF service.'),
  domains: listed('Domains of its OASF service.'),
  registeredTimestamp: digits('Time of the first event, in Unix seconds.'),
  updatedTimestamp: digits('Time of the newest version, in Unix seconds.'),
  transactionHash: hash('Transaction of the first event.'),
  feedbackCount: count('All feedback, revoked or not.'),
  reviewerCount: count('Clients that gave feedback, revoked or not.'),
  ...includedNames,
}

export const agentRow = exactly(agentMembers, 'An agent in a listing.', 'Agent')

export const singleAgent = exactly(
  {
    ...agentMembers,
    revokedCount: count('The revoked part of the feedback.'),
    responseCount: count('Responses to its feedback.'),
    versionCount: count('Events of the registry of identities.'),
    metadata: Type.Array(
      exactly(
        {
          key: Type.String({ description: 'Any text.' }),
          value: Type.String({ pattern: '^0x([0-9a-f]{2})*$', description: 'Any bytes.' }),
        },
        'A metadata key with its newest value.',
        'AgentMetadata',
      ),
      { maxItems: 256, description: 'The first 256 keys in the order of their newest values.' },
    ),
    registration: Type.Unsafe<unknown>({
      anyOf: [{ type: 'object' }, { type: 'null' }],
      description:
        'The registration file as JSON; null unless `uriState` is `read`, `verified` or `unverified`.',
      examples: [{ name: 'Ada' }],
    }),
    didAddresses: Type.Array(
      exactly(
        {
          did: Type.String({ description: 'A did:web of the agent.' }),
          address: address('The last 20 bytes of its keccak256, under which attestations name it.'),
        },
        'A did:web with its address.',
      ),
      { maxItems: 65, description: 'Of the URI and of the endpoints that are HTTPS or did:web.' },
    ),
  },
  'An agent.',
  'AgentDetail',
)

export const foundAgent = exactly(
  {
    id: agentId('Id of the agent.'),
    chainId: digits('Decimal number of the chain.'),
    name: Type.String({ description: 'As its registration says; may be empty.' }),
    owner: addressOrEmpty('The account that owns it.'),
    feedbackCount: count('All feedback, revoked or not.'),
  },
  'An agent in the results of a search.',
  'FoundAgent',
)

const easReference = orNull(
  exactly(
    {
      id: Type.String({
        pattern: '^(onchain_evm_[0-9]+_0x[0-9a-f]{64})?$',
        description: 'Composite id of the attestation of EAS; empty where `tag2` is no reference.',
      }),
      status: Type.Enum(['valid', 'revoked', 'expired', 'unknown'], {
        description: '`unknown`: the attestation is not indexed here, or `tag2` is no reference.',
      }),
      mismatch: Type.String({
        description: 'What does not fit the feedback, in words; empty if all does.',
      }),
    },
    'The attestation of EAS that the feedback points to.',
  ),
  'null unless `tag1` is `eas`.',
)

/** Signed decimal digits. */
const decimal = (description: string) => Type.String({ pattern: '^-?[0-9]+(\\.[0-9]+)?$', description })

export const feedbackRow = exactly(
  {
    ...attestationSummary,
    revoked: Type.Boolean({ description: 'Whether the client revoked it.' }),
    value: orNull(
      decimal('With its decimals applied.'),
      'The value with its decimals applied; null where the payload cannot be decoded.',
    ),
    tag1: Type.String({ description: 'May be empty.' }),
    tag2: Type.String({ description: 'May be empty.' }),
    endpoint: Type.String({ description: 'The endpoint that the feedback is about; may be empty.' }),
    feedbackURI: Type.String({ description: 'May be empty.' }),
    feedbackHash: Type.String({ pattern: '^(0x[0-9a-f]{64})?$', description: 'Hash of the file.' }),
    feedbackIndex: digits('Number of the feedback among those of its client for the agent, from 1.'),
    responseCount: count('Responses to it.'),
    eas: easReference,
    ...includedNames,
  },
  'Feedback for an agent.',
  'Feedback',
)

/** Feedback of reviewers that a policy lets through. */
const judgedMembers = {
  policy: Type.String({ description: 'Name of the policy.' }),
  policyHash: Type.String({
    pattern: '^[0-9a-f]{64}$',
    examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
    description: 'SHA-256 of the policy as canonical JSON.',
  }),
  leftOut: count('Feedback of reviewers that the policy denies.'),
  unknown: count('Feedback of reviewers of whom the policy cannot tell; left out as well.'),
}

export const feedbackPage = exactly(
  {
    ...pageMembers(feedbackRow),
    by: orNull(exactly(judgedMembers, 'What a policy left out.'), 'null without `by`.'),
  },
  'A page of feedback.',
  'PageFeedback',
)

export const responseRow = exactly(
  {
    feedbackId: compositeId('feedback'),
    client: address('Who gave the feedback.'),
    feedbackIndex: digits('Number of the feedback among those of its client.'),
    responder: address('Who responded.'),
    responseURI: Type.String({ description: 'May be empty.' }),
    responseHash: hash('Hash of the response; zeros without one.'),
    timestamp: digits('Unix seconds.'),
    blockNumber: count('Block of the response.'),
    transactionHash: hash('Transaction of the response.'),
  },
  'A response to feedback.',
  'FeedbackResponse',
)

export const validationRow = exactly(
  {
    requestHash: hash('Hash of the request, which names the validation.'),
    validator: address('Who was asked, and alone can respond.'),
    requestURI: Type.String({ description: 'What is to be validated; may be empty.' }),
    requestedTimestamp: digits('Unix seconds of the request.'),
    blockNumber: count('Block of the request.'),
    transactionHash: hash('Transaction of the request.'),
    status: Type.Enum(['pending', 'completed'], { description: '`pending`: nobody has responded yet.' }),
    response: orNull(
      Type.Integer({ minimum: 0, maximum: 255 }),
      'The newest response, by the standard from 0 to 100; null without one that can be decoded.',
    ),
    responseURI: Type.String({ description: 'May be empty.' }),
    responseHash: Type.String({ pattern: '^(0x[0-9a-f]{64})?$', description: 'Empty without a response.' }),
    tag: Type.String({ description: 'May be empty.' }),
    respondedTimestamp: Type.String({
      pattern: '^[0-9]*$',
      description: 'Unix seconds of the newest response; empty without one.',
    }),
    attestationId: Type.String({
      pattern: '^(onchain_evm_[0-9]+_0x[0-9a-f]{64})?$',
      description: 'Composite id of the newest response, which is an attestation; empty without one.',
    }),
  },
  'A validation of an agent.',
  'Validation',
)

export const historyRow = exactly(
  {
    change: Type.Enum(['registered', 'transferred', 'uriUpdated', 'metadataSet'], {
      description: 'What the event did.',
    }),
    owner: addressOrEmpty('The owner after a registration or transfer; otherwise empty.'),
    from: addressOrEmpty('The owner before a transfer; otherwise empty.'),
    uri: Type.String({ description: 'The URI of a registration or update; otherwise empty.' }),
    updatedBy: addressOrEmpty('Who updated the URI; otherwise empty.'),
    key: Type.String({ description: 'The metadata key; otherwise empty.' }),
    value: Type.String({ pattern: '^(0x([0-9a-f]{2})*)?$', description: 'The metadata; otherwise empty.' }),
    timestamp: digits('Unix seconds.'),
    blockNumber: count('Block of the event.'),
    transactionHash: hash('Transaction of the event.'),
  },
  'A version of an agent.',
  'AgentChange',
)

const scoreMembers = {
  count: count('Feedback that is not revoked and has a value.'),
  reviewerCount: count('Clients of this feedback.'),
  average: orNull(decimal('Of their values.'), 'Of all values, whatever their tags mean; null without any.'),
  tags: Type.Array(
    exactly(
      {
        tag: Type.String({ description: 'The first tag; may be empty.' }),
        count: count('Feedback with this tag.'),
        average: decimal('Of the values with this tag.'),
      },
      'The values of a tag.',
    ),
    { maxItems: 100, description: 'The hundred most frequent tags, most frequent first.' },
  ),
}

export const reputation = exactly(
  {
    ...scoreMembers,
    by: orNull(
      exactly(
        { ...scoreMembers, ...judgedMembers },
        'The feedback of reviewers that the policy lets through.',
      ),
      'null without `by`.',
    ),
    summary: orNull(
      exactly(
        {
          count: count('Feedback of these clients with these tags that is not revoked.'),
          value: Type.String({
            pattern: '^(-?[0-9]+|overflow)$',
            description:
              'Their average times 10 to the power of valueDecimals; `overflow` where the registry would wrap or revert.',
            examples: ['8750'],
          }),
          valueDecimals: Type.Integer({
            minimum: 0,
            maximum: 255,
            description: 'The most frequent number of decimals, the least of equally frequent ones.',
          }),
        },
        'What `getSummary` of the registry returns.',
      ),
      'null without `client[in]`.',
    ),
  },
  'What clients say of an agent.',
  'Reputation',
)
